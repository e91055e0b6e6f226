/// A request that no report can answer, such as a folder that does not exist. The command line ends with
/// status 2.
public struct RequestError: Error, CustomStringConvertible, Sendable {
    /// The fact, then what to do.
    public var description: String
    /// Lines that stand below it, such as a quoted line of SQL with a caret; mostly empty.
    public var quote: String

    public init(_ description: String, quote: String = "") {
        (self.description, self.quote) = (description, quote)
    }
}
