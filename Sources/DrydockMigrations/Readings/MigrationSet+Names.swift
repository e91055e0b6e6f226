import DatabaseEngine
import DrydockFindings

/// The names of migrations that several tools may run: each has its own, and reports those of the first.
extension MigrationSet {
    /// Returns the same migrations under the identifiers of another reading of the same files.
    func named(as other: MigrationSet) -> MigrationSet {
        let own = migrations.map(\.identifier)
        guard own.count == other.migrations.count, own != other.migrations.map(\.identifier) else {
            return self
        }
        var set = self
        set.identifiersInHistory = own
        let names = Dictionary(
            zip(own, other.migrations.map(\.identifier)), uniquingKeysWith: { first, _ in first })
        for (index, migration) in other.migrations.enumerated() {
            set.migrations[index].identifier = migration.identifier
            set.migrations[index].fault?.migration = migration.identifier
        }
        for index in findings.indices {
            set.findings[index].migration = findings[index].migration.map { names[$0] ?? $0 }
        }
        return set
    }

    /// Returns what a database has applied, or nil if that is unknown.
    package func history(_ connection: any Connection) throws -> AppliedHistory? {
        guard let own = identifiersInHistory else { return try format.history(connection, of: self) }
        var set = self
        for (index, identifier) in own.enumerated() { set.migrations[index].identifier = identifier }
        guard var history = try format.history(connection, of: set) else { return nil }
        let names = Dictionary(
            zip(own, migrations.map(\.identifier)), uniquingKeysWith: { first, _ in first })
        func name(_ identifier: String) -> String { names[identifier] ?? identifier }
        history.identifiers = history.identifiers.map(name)
        history.checksums = Dictionary(
            history.checksums.map { (name($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
        history.repeats = Set(history.repeats.map(name))
        history.newest = history.newest.map(name)
        return history
    }
}

extension MigrationSet {
    /// Whether several files have one version, since the format reads only the beginning of their numbers: 2024 of
    /// `2024-01-01_a.sql`, 1 of `v1.2.sql`.
    var takesDatesForVersions: Bool {
        let same = Dictionary(grouping: migrations, by: \.identifier).values.filter { $0.count > 1 }
        return !same.isEmpty
            && same.joined().allSatisfy { migration in
                PathParts.name(of: migration.path).contains(/^[A-Za-z]?[0-9]+[-._][0-9]+[-._]/)
            }
    }
}
