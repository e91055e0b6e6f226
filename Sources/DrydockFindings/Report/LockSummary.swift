/// What `drydock lock` did.
public struct LockSummary: Sendable {
    public var path: String
    public var isCheck: Bool
    /// How many are locked in the end.
    public var migrationCount = 0
    public var snapshotCount = 0
    /// Migrations and snapshots, by the lock's names.
    public var added: [String] = []
    public var replaced: [String] = []
    /// What was to be replaced and is as it was locked.
    public var unchanged: [String] = []
    public var removed: [String] = []
    /// What could be locked and is not.
    public var unlocked: [String] = []

    public init(path: String, isCheck: Bool = false) {
        self.path = path
        self.isCheck = isCheck
    }
}
