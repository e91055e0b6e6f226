/// The error of a request for which no report can be made, such as one that names a folder that does not exist. The
/// command line ends with status 2.
public struct RequestError: Error, CustomStringConvertible, Sendable {
    /// The fact, then what to do.
    public var description: String
    /// Lines below the description, such as a quoted line of SQL with a caret; usually empty.
    public var quote: String

    public init(_ description: String, quote: String = "") {
        (self.description, self.quote) = (description, quote)
    }
}
