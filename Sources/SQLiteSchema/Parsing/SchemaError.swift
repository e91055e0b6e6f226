/// An error in a CREATE statement, with its position.
public struct SchemaError: Error, Sendable, Hashable {
    /// The fact, without the position.
    public let message: String
    /// The name of the source: the path of a file, as the user gave it.
    public let source: String
    public let location: SourceLocation

    public init(message: String, source: String, location: SourceLocation) {
        self.message = message
        self.source = source
        self.location = location
    }
}

extension SchemaError: CustomStringConvertible {
    public var description: String { "\(source):\(location): \(message)" }
}
