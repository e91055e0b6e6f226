import SQLiteSchema

/// Whether two readings of a migration are equal, so that the result of one is valid for the other.
extension Migration {
    /// Whether running it does the same, and what is found in it is at the same place.
    package func isSame(as other: Migration) -> Bool {
        identifier == other.identifier && path == other.path && transaction == other.transaction
            && foreignKeys == other.foreignKeys && isDeferred == other.isDeferred && isCode == other.isCode
            && closureChecks == other.closureChecks && fault?.message == other.fault?.message
            && isFaultyWhenPending == other.isFaultyWhenPending && ownTransaction == other.ownTransaction
            && declarations == other.declarations && Self.areSame(statements, other.statements)
            && down?.path == other.down?.path && down?.transaction == other.down?.transaction
            && Self.areSame(down?.statements ?? [], other.down?.statements ?? [])
    }

    /// Findings quote lines and positions, so that the whole text must be the same.
    private static func areSame(_ a: [SQLStatement], _ b: [SQLStatement]) -> Bool {
        guard a.count == b.count else { return false }
        var compared: String?
        for (x, y) in zip(a, b) {
            guard x.range == y.range, x.source.name == y.source.name else { return false }
            if compared == x.source.name { continue }
            guard x.source.bytes == y.source.bytes else { return false }
            compared = x.source.name
        }
        return true
    }
}
