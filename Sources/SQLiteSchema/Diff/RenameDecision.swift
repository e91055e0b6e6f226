/// The renames that were detected, with the evidence for each.
public struct RenameDecision: Sendable {
    /// Renames that are assumed.
    public var taken: [RenameCandidate] = []
    /// Renames that are possible but ambiguous; only a hint decides.
    public var open: [RenameCandidate] = []

    public init(taken: [RenameCandidate] = [], open: [RenameCandidate] = []) {
        (self.taken, self.open) = (taken, open)
    }
}

extension RenameCandidate {
    /// A note that says that it may be a rename, and how to declare it.
    public var openNote: String {
        "perhaps renamed: \(oldPath) to \(to) (\(evidence)); --rename \(oldPath)=\(to) says so"
    }
}
