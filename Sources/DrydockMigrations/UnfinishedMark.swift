/// What a tool writes so that its next start sees that a migration was not finished, and what a person does then.
public struct UnfinishedMark: Sendable {
    /// A command of the tool with which a person lets it continue.
    public struct WayOut: Sendable {
        public var command: String
        /// What the command writes.
        public var statements: [Bookkeeping]

        public init(_ command: String, _ statements: [Bookkeeping]) {
            (self.command, self.statements) = (command, statements)
        }
    }

    /// What is written before the first statement.
    public var begun: [Bookkeeping] = []
    /// What is written where a statement fails outside a transaction.
    public var failed: [Bookkeeping] = []
    /// What is written at the end instead of ``Migration/record``; nil if that is written.
    public var finished: [Bookkeeping]?
    /// The first one that leads to the end is the right one: running the migration again comes before calling it applied.
    public var waysOut: [WayOut]

    public init(
        begun: [Bookkeeping] = [], failed: [Bookkeeping] = [], finished: [Bookkeeping]? = nil,
        waysOut: [WayOut]
    ) {
        (self.begun, self.failed, self.finished, self.waysOut) = (begun, failed, finished, waysOut)
    }

    /// Whether a kill leaves the mark too.
    public var isLeftByKill: Bool { !begun.isEmpty }
}
