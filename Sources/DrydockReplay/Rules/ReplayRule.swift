import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// The rules about a step, each in a file of its own. This is the one place where one is registered.
enum ReplayRules {
    /// Asked of every step.
    static let steps: [any StepRule] = [
        TableDroppedRule(), ColumnDroppedRule(), RowsLostRule(), ValuesChangedRule(), RowsAddedRule(),
        ObjectLostRule(), AutoincrementRule(), HeaderMarkRule(),
    ]
}

/// A rule about what a step did.
protocol StepRule: Sendable {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding]
}

/// A step as rules look at it.
struct StepView: Sendable {
    let migration: Migration
    let before: DatabaseState
    let after: DatabaseState
    let lineage: TableLineage
    let conservation: Conservation
    /// Whether the migrations' tool tells a database's version by `PRAGMA user_version`.
    var usesUserVersion = false

    /// The statements' actions, those on temporary tables left out: these may have a name of the database's.
    var actions: [(statement: SQLStatement, action: StatementAction)] {
        zip(migration.statements, lineage.actions).filter { $0.1.target?.isMain ?? true }
    }

    /// The last statement for which a closure is true.
    func lastStatement(_ isIt: (StatementAction) -> Bool) -> SQLStatement? {
        actions.last { isIt($0.action) }?.statement
    }

    func statement(at index: Int?) -> SQLStatement? {
        index.flatMap { migration.statements.indices.contains($0) ? migration.statements[$0] : nil }
    }

    func sample(_ value: SQLValue) -> Evidence.Sample {
        Evidence.Sample(value, encoding: before.catalog.encoding)
    }

    func key(_ row: TableDifference.Row, of difference: TableDifference) -> [Evidence.Cell] {
        zip(difference.keyColumns, row.key).map { Evidence.Cell(column: $0, value: sample($1)) }
    }
}

/// A finding of a step, and how to tell later whether it still stands.
package struct StepFinding: Sendable {
    package var finding: Finding
    /// Whether the fault is still there at the end of the replay; nil for what no later step can mend.
    var stands: Stands?
    /// How to find the statement that did it.
    var probe: CulpritProbe?
    /// The place of that statement in the migration, once it was found.
    var culprit: Int?

    /// Asked with the last state, and with how to find a table's last name; that is nil when it is gone.
    typealias Stands = @Sendable (DatabaseState, _ lastName: (String) -> String?) -> Bool

    init(_ finding: Finding, probe: CulpritProbe? = nil, stands: Stands? = nil) {
        self.finding = finding
        self.probe = probe
        self.stands = stands
    }
}

/// The declarations of a migration, and which of them were needed.
struct DeclarationUse: Sendable {
    let declarations: [Declaration]
    private(set) var used: Set<Declaration> = []

    init(_ declarations: [Declaration], used: Set<Declaration> = []) {
        self.declarations = declarations
        self.used = used
    }

    /// Whether any declaration covers something; all that do are needed.
    mutating func covers(_ isMeant: (Declaration.Kind) -> Bool) -> Bool {
        let meant = declarations.filter { isMeant($0.kind) }
        used.formUnion(meant)
        return !meant.isEmpty
    }
}
