/// What a tool writes so that its next start sees that a migration was not finished, and what a person does then.
public struct UnfinishedMark: Sendable {
    /// A command of the tool's with which a person lets it go on.
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
    /// What is written at the end, in place of ``Migration/record``; nil where that is.
    public var finished: [Bookkeeping]?
    /// The first that leads to the end is the right one: to run the migration again before calling it applied.
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
