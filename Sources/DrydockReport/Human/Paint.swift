/// Colours the text of a terminal, if colours are on.
struct Paint {
    private let isOn: Bool

    init(_ isOn: Bool) { self.isOn = isOn }

    func bold(_ text: String) -> String { wrap("1", text) }
    func dim(_ text: String) -> String { wrap("2", text) }
    func red(_ text: String) -> String { wrap("1;31", text) }
    func green(_ text: String) -> String { wrap("1;32", text) }
    func yellow(_ text: String) -> String { wrap("1;33", text) }
    func cyan(_ text: String) -> String { wrap("1;36", text) }

    private func wrap(_ code: String, _ text: String) -> String {
        isOn && !text.isEmpty ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}
