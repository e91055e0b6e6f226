/// The limits of one connection, however hostile the SQL (https://www.sqlite.org/limits.html).
///
/// SQLite's other limits stay as the library has them: real migrations come near them, and limits on time and
/// memory bound what a statement within them can do.
public struct ConnectionLimits: Sendable, Hashable {
    /// The longest text, blob or row, in bytes; an eighth of the limit that ``SQLiteLibrary/limitMemory(to:)``
    /// set, if it was called. Four times as much on connections of Drydock's own checks.
    public var valueBytes = SQLiteLibrary.valueLimit.load(ordering: .relaxed)
    /// The longest program that a statement is compiled to, in instructions of 24 bytes.
    public var instructions = 25_000_000

    public init() {}
}
