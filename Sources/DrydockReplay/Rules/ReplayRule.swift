import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// The rules about a step, each in a separate file. This is the only place where they are registered.
enum ReplayRules {
    /// The rules checked for every step.
    static let steps: [any StepRule] = [
        TableDroppedRule(), SearchIndexDroppedRule(), ColumnDroppedRule(), RowsLostRule(),
        ValuesChangedRule(), RowsAddedRule(), ObjectLostRule(), ConstraintLostRule(), ReferenceMovedRule(),
        AutoincrementRule(), HeaderMarkRule(),
    ]
}

/// A rule about what a step did.
protocol StepRule: Sendable {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding]
}

/// A step as rules see it.
struct StepView: Sendable {
    let migration: Migration
    let before: DatabaseState
    let after: DatabaseState
    let lineage: TableLineage
    let conservation: Conservation
    /// Whether the migrations' tool records a database's version in `PRAGMA user_version`.
    var usesUserVersion = false
    /// Returns the last statement so far that creates an object, perhaps of an earlier migration.
    var creation: @Sendable (Catalog.ObjectID) -> SQLStatement? = { _ in nil }

    /// The statements' actions without those on temporary tables, which may have the same name as a table of the
    /// database.
    var actions: [(statement: SQLStatement, action: StatementAction)] {
        zip(migration.statements, lineage.actions).filter { $0.1.target?.isMain ?? true }
    }

    /// Returns the last statement for which a closure returns true.
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

/// A finding of a step, and how to determine later whether it still exists.
package struct StepFinding: Sendable {
    package var finding: Finding
    /// Whether the fault still exists at the end of the replay; nil where no later step can fix it.
    var stands: Stands?
    /// Whether the finding counts only where the fault exists at the end: nothing was broken in between.
    var isForgottenOnceFixed = false
    /// Says what exists at the end instead of what the finding reports as missing; nil if nothing does.
    var substitute: Substitute?
    /// How to find the statement that caused the fault.
    var probe: CulpritProbe?
    /// The index of that statement in the migration, once found.
    var culprit: Int?
    /// Whether the finding says why the statement does that.
    var isExplained = false

    /// Called with the last state, and with a function that returns a table's last name; nil when the table is gone.
    typealias Stands = @Sendable (DatabaseState, _ lastName: (String) -> String?) -> Bool

    /// Called as ``Stands`` is.
    typealias Substitute = @Sendable (DatabaseState, _ lastName: (String) -> String?) -> String?

    init(
        _ finding: Finding, probe: CulpritProbe? = nil, stands: Stands? = nil,
        isForgottenOnceFixed: Bool = false, substitute: Substitute? = nil
    ) {
        self.finding = finding
        self.probe = probe
        self.stands = stands
        self.isForgottenOnceFixed = isForgottenOnceFixed
        self.substitute = substitute
    }
}

/// The declarations of a migration, and those of them that were needed.
struct DeclarationUse: Sendable {
    let declarations: [Declaration]
    private(set) var used: Set<Declaration> = []

    init(_ declarations: [Declaration], used: Set<Declaration> = []) {
        self.declarations = declarations
        self.used = used
    }

    /// Whether any declaration covers something; all that do are marked as needed.
    mutating func covers(_ isMeant: (Declaration.Kind) -> Bool) -> Bool {
        let meant = declarations.filter { isMeant($0.kind) }
        used.formUnion(meant)
        return !meant.isEmpty
    }
}
