import DrydockFindings

/// One database on the way to the report: what was found in it so far, and what was not reached.
@dynamicMemberLookup
package struct CheckedDatabase: Sendable, Codable {
    package var health: DatabaseHealth
    package var findings: [Finding] = []
    package var notReached: [NotReached] = []
    /// What was not checked in a database that has errors anyway. It counts once these errors are known.
    var gapsBehindErrors: [Finding] = []

    /// The sizes of tables and indexes, for those who follow how they grow.
    var trees: [Tree] = []

    /// The size of a table, or of an index of it.
    struct Tree: Sendable, Codable {
        var table: String
        var bytes: Int
    }

    package init(path: String) { health = DatabaseHealth(path: path) }

    package subscript<Value>(dynamicMember member: WritableKeyPath<DatabaseHealth, Value>) -> Value {
        get { health[keyPath: member] }
        set { health[keyPath: member] = newValue }
    }

    /// Something that a run did not reach, and why.
    package struct NotReached: Sendable, Codable {
        package var rule: Rule
        /// The table that was not reached; nil if no part of the check was.
        package var table: String?
        package var reason: String
        package var cause: NotChecked.Obstacle
        /// Whether damage to the file stopped the check.
        var isDamage = false
        /// The place from which the table was not reached.
        var place: HealthRange.Place?

        package init(
            _ rule: Rule, table: String? = nil, reason: String, cause: NotChecked.Obstacle = .writers
        ) {
            (self.rule, self.table, self.reason, self.cause) = (rule, table, reason, cause)
        }
    }
}

extension Report {
    /// Creates the report of `drydock health`.
    package init(_ databases: [CheckedDatabase]) {
        self.init(.health(HealthSummary(databases: databases.map(\.health))))
        // A database that only nearly is healthy is not called so.
        isStrict = true
        for checked in databases {
            findings += checked.findings.map { finding in
                var finding = finding
                finding.database = checked.path
                return finding
            }
            notChecked += checked.notReached.map { missed in
                var entry = NotChecked(missed.rule, .notReached(missed.cause, missed.reason))
                (entry.database, entry.table) = (checked.path, missed.table)
                return entry
            }
        }
    }
}
