/// A replacement, in a project's drydock.yml, for something that only its app has.
public enum StandIn: Sendable, Hashable, Codable {
    case function(String)
    case collation(String)

    /// Help that says how it is written.
    public var text: String {
        let entry =
            switch self {
            case .function(let name): "functions:\n    \(name): {returns: null}"
            case .collation(let name): "collations:\n    \(name): nocase"
            }
        return "If the app registers it, give Drydock a stand-in in drydock.yml:\n  \(entry)"
    }
}
