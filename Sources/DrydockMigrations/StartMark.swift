/// What a tool writes around a migration, so that it sees whether that was finished, and what a person does where it was
/// not.
public struct StartMark: Sendable {
    /// A command of the tool's with which a person lets it go on.
    public struct WayOut: Sendable {
        public var command: String
        /// What the command writes.
        public var statements: [Bookkeeping]

        public init(_ command: String, _ statements: [Bookkeeping]) {
            (self.command, self.statements) = (command, statements)
        }
    }

    public var begun: [Bookkeeping]
    /// What is written afterwards, in place of ``Migration/record``.
    public var finished: [Bookkeeping]
    /// Makes the tool run the migration again.
    public var runAgain: WayOut
    /// Makes the tool take it for applied.
    public var callApplied: WayOut

    public init(begun: [Bookkeeping], finished: [Bookkeeping], runAgain: WayOut, callApplied: WayOut) {
        (self.begun, self.finished, self.runAgain, self.callApplied) = (
            begun, finished, runAgain, callApplied
        )
    }
}
