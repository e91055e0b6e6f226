/// A constraint that a table no longer has, or has only in part.
public struct LostConstraint: Sendable, Hashable {
    /// As it was.
    public var constraint: TableConstraint
    /// The constraint that would restore it: with the names that its columns and its parent have now.
    public var wanted: TableConstraint
    /// What replaces it, as SQL, perhaps with a remark; nil for nothing.
    public var now: String?
    /// Whether the only difference is that a list has more values.
    public var isLongerList = false
}
