/// A trigger (https://www.sqlite.org/lang_createtrigger.html).
public struct Trigger: Sendable, Hashable {
    public enum Timing: String, Sendable, Hashable {
        /// SQLite's default.
        case before = "BEFORE"
        case after = "AFTER"
        case insteadOf = "INSTEAD OF"
    }

    public enum Event: Sendable, Hashable {
        case delete
        case insert
        /// An update of the named columns; of any column if the list is empty.
        case update(of: [String])
    }

    public var name: String
    public var timing: Timing
    public var event: Event
    /// The table or view that the trigger is on.
    public var table: String
    public var condition: SQLFragment?
    /// The statements between BEGIN and END.
    public var body: [SQLFragment]

    public init(
        name: String, timing: Timing = .before, event: Event, table: String, condition: SQLFragment? = nil,
        body: [SQLFragment]
    ) {
        self.name = name
        self.timing = timing
        self.event = event
        self.table = table
        self.condition = condition
        self.body = body
    }

    /// The folded names that WHEN and the statements use, including functions, and keywords that may be
    /// names.
    public var names: Set<String> {
        body.reduce(into: condition?.names ?? []) { $0.formUnion($1.names) }
    }
}
