/// The limits of one connection, however hostile the SQL (https://www.sqlite.org/limits.html).
///
/// SQLite's other limits stay as the library has them: real migrations come near them, some functions give NULL
/// instead of an error beyond the length of a value, and limits on time and memory bound what a statement within
/// them can do.
public struct ConnectionLimits: Sendable, Hashable {
    /// The longest program that a statement is compiled to, in instructions of 24 bytes.
    public var instructions = 25_000_000

    public init() {}
}
