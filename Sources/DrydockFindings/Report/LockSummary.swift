/// What `drydock lock` did.
public struct LockSummary: Sendable {
    public var path: String
    public var isCheck: Bool
    /// The number of locked migrations in the end.
    public var migrationCount = 0
    public var snapshotCount = 0
    /// Migrations and snapshots, by the lock's names.
    public var added: [String] = []
    public var replaced: [String] = []
    /// The names that were to be replaced and are unchanged.
    public var unchanged: [String] = []
    public var removed: [String] = []
    /// The names that could be locked and are not.
    public var unlocked: [String] = []

    public init(path: String, isCheck: Bool = false) {
        self.path = path
        self.isCheck = isCheck
    }
}
