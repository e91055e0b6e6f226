/// One value of a JSON document while it is encoded: an object, an array, or anything else.
///
/// Values are written at once, where they belong but for the order of an object's members. Every member and element
/// begins with a comma, and the first one's becomes the bracket when the value ends.
final class JSONFrame: Encoder {
    enum Kind { case other, object, array }

    /// Where a member begins in the document, with its comma.
    struct Member {
        var key: String
        /// The first eight bytes of the key, of which most keys differ.
        var prefix: UInt64
        var start: Int
        /// A container in it that is still open.
        var open: JSONFrame?
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    let text: JSONText
    let depth: Int
    private let start: Int
    private(set) var kind = Kind.other
    // Only this class changes it, and nothing else runs meanwhile.
    @exclusivity(unchecked) private var members: [Member] = []

    /// The number of members or elements.
    var count: Int { members.count }

    init(_ text: JSONText, depth: Int) { (self.text, self.depth, start) = (text, depth, text.bytes.count) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        kind = .object
        return KeyedEncodingContainer(JSONMembers<Key>(frame: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        kind = .array
        return JSONElements(frame: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingleValue(frame: self) }

    func beginMember(_ key: String) {
        members.append(Member(key: key, prefix: Self.prefix(key), start: text.bytes.count))
        text.bytes.append(UInt8(ascii: ","))
        text.breakLine(depth + 1)
        text.write(key)
        if text.isIndented { text.put(" : ") } else { text.put(":") }
    }

    func beginElement() {
        members.append(Member(key: "", prefix: 0, start: text.bytes.count))
        text.bytes.append(UInt8(ascii: ","))
        text.breakLine(depth + 1)
    }

    /// Returns a frame for a container that is filled later.
    func makeOpenFrame() -> JSONFrame {
        let frame = JSONFrame(JSONText(isIndented: text.isIndented), depth: depth + 1)
        members[members.count - 1].open = frame
        return frame
    }

    /// Encodes a value in this frame, or in one within it.
    func encode<Value: Encodable>(_ value: Value, isNested: Bool) throws {
        if Value.self == Int.self, let number = value as? Int { return text.write(number) }
        if Value.self == String.self, let string = value as? String { return text.write(string) }
        if Value.self == Double.self, let number = value as? Double { return try text.write(number) }
        if Value.self == Bool.self, let isTrue = value as? Bool { return text.put(isTrue ? "true" : "false") }
        guard isNested else { return try value.encode(to: self) }
        let frame = JSONFrame(text, depth: depth + 1)
        try value.encode(to: frame)
        frame.end()
    }

    /// Completes an object or array.
    func end() {
        guard kind != .other else { return }
        closeOpenMembers()
        if kind == .object { sortMembers() }
        let isEmpty = members.isEmpty
        let (opening, closing) = kind == .object ? ("{", "}") : ("[", "]")
        if isEmpty {
            text.bytes += opening.utf8
            if text.isIndented { text.bytes.append(UInt8(ascii: "\n")) }
        } else {
            text.bytes[start] = opening.utf8.first ?? 0
        }
        text.breakLine(depth)
        text.bytes += closing.utf8
    }

    private func closeOpenMembers() {
        guard members.contains(where: { $0.open != nil }) else { return }
        let old = Array(text.bytes[start...])
        text.bytes.removeSubrange(start...)
        for index in members.indices {
            let (from, to) = range(index, end: start + old.count)
            members[index].start = text.bytes.count
            text.bytes += old[from - start..<to - start]
            guard let open = members[index].open else { continue }
            open.end()
            text.bytes += open.text.bytes
            members[index].open = nil
        }
    }

    /// Puts the members into the order of their keys' bytes; of several with one key the last counts.
    private func sortMembers() {
        var isSorted = true
        for index in members.indices.dropFirst() where isSorted {
            isSorted = precedes(index - 1, index)
        }
        guard !isSorted else { return }
        let end = text.bytes.count
        // The sort is stable: of equal keys the last stays the last.
        let order = members.indices.sorted { precedes($0, $1) }
        var sorted: [UInt8] = []
        sorted.reserveCapacity(end - start)
        for (position, index) in order.enumerated() {
            let next = position + 1 < order.count ? order[position + 1] : nil
            if let next, !precedes(index, next) { continue }
            let (from, to) = range(index, end: end)
            sorted += text.bytes[from..<to]
        }
        text.bytes.replaceSubrange(start..., with: sorted)
    }

    /// Returns whether a member's key is before that of another in the order of their bytes.
    private func precedes(_ one: Int, _ other: Int) -> Bool {
        let (a, b) = (members[one].prefix, members[other].prefix)
        if a != b { return a < b }
        return members[one].key.utf8.lexicographicallyPrecedes(members[other].key.utf8)
    }

    private static func prefix(_ key: String) -> UInt64 {
        var key = key
        return key.withUTF8 { bytes in
            var (prefix, shift): (UInt64, UInt64) = (0, 64)
            for byte in bytes.prefix(8) {
                shift -= 8
                prefix |= UInt64(byte) << shift
            }
            return prefix
        }
    }

    private func range(_ index: Int, end: Int) -> (from: Int, to: Int) {
        (members[index].start, index + 1 < members.count ? members[index + 1].start : end)
    }
}
