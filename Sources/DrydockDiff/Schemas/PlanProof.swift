import DrydockFindings
import DrydockMigrations
import DrydockState
import DrydockReplay
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// Makes a plan, runs it on the old database with its rows, on an overlay, and compares the result with the new schema.
struct PlanProof: Sendable {
    let loader: SchemaLoader
    let engine: any Engine
    let allowsLoss: Bool
    /// The migration's name. The history records it, so two plans run on one state need different names.
    var name = "drydock plan"

    struct Outcome {
        var plan: MigrationPlan
        /// The migrated state; nil if the plan must not be given.
        var image: Image?
        var refusals: [Finding] = []
        /// Declarations that would allow every broken rule, with what is then lost.
        var permits: [(declarations: [String], loss: String)] = []
    }

    /// Returns the proved plan between two schemas, or why it must not be given.
    func plan(
        from image: Image, _ old: Schema, to new: Schema, hints: RenameHints, support: AlterSupport
    ) async throws -> Outcome {
        let before = try await loader.inspector.inspect(image, earlier: nil)
        let broken = Set(before.faults.filter { $0.id.rule == .viewBroken }.flatMap(\.id.names))
        var plan = MigrationPlanner(from: old, to: new, hints: hints, support: support, broken: broken).plan()
        plan.leftOver += before.faults.filter { $0.id.rule == .foreignKeyViolation }.map {
            "\($0.sentence.text), before the plan and after it; a tool that checks every key refuses such a database"
        }
        guard plan.losses.isEmpty || allowsLoss else {
            let lost = plan.losses.joined(separator: ", ")
            return Outcome(
                plan: plan, refusals: [.planRefused("the plan would lose \(lost); --allow-loss allows it")])
        }
        let keys = old.tables.values.sorted { $0.name < $1.name }.compactMap {
            ConvertedKey($0, in: new, hints)
        }
        var outcome = try await prove(plan, on: before, from: old, to: new, keys)
        guard !outcome.permits.isEmpty else { return outcome }
        guard allowsLoss else {
            outcome.refusals = outcome.refusals.map {
                .planRefused($0.message + "; --allow-loss allows it", help: $0.help)
            }
            return outcome
        }
        plan.steps.insert(
            .init("Values change, as allowed.", declarations: outcome.permits.flatMap(\.declarations), []),
            at: 0)
        plan.losses += outcome.permits.map(\.loss)
        return try await prove(plan, on: before, from: old, to: new, keys)
    }

    private func prove(
        _ plan: MigrationPlan, on before: DatabaseState, from old: Schema, to wanted: Schema,
        _ keys: [ConvertedKey]
    ) async throws -> Outcome {
        let migration = Self.migration(plan, named: name)
        let inspector = loader.inspector
        let overlay = try Overlay(before.image)
        do {
            try await engine.use(overlay, settings: inspector.settings) { database in
                // Keys are compared with the state before, which may already have violations.
                _ = try await MigrationRun(migration, foreignKeyChecks: .disabled).apply(to: database)
                try await database.withConnection { try $0.checkpoint() }
            }
        } catch {
            return Outcome(plan: plan, refusals: [.planRefused(error, migration)])
        }
        let after = overlay.freeze().image
        var outcome = Outcome(plan: plan)
        let schema = try await loader.schema(of: after, .database)
        let left = SchemaDiff(from: schema, to: wanted).changes().filter { !$0.isQuiet && !$0.isLayout }
        outcome.refusals = left.map { .planRefused("after the plan the schema still differs: \($0)") }
        let verified = try await StepVerification(
            migration: migration, declarations: migration.declarations, before: before,
            after: try await inspector.inspect(after, earlier: before), inspector: inspector, engine: engine
        ).run()
        let lost = verified.findings.map(\.finding).filter {
            $0.rule == .constraintLost && $0.severity == .warning
        }
        if !lost.isEmpty {
            let words = lost.flatMap(\.advice.declarations).map(\.words)
            outcome.plan.steps.insert(
                .init("Constraints that the new schema does not have are dropped.", declarations: words, []),
                at: 0)
        }
        let findings = (verified.findings.map(\.finding) + verified.declarationFindings)
            .filter { $0.severity == .error }
        let kept = try await loader.inspector.withConnection(to: before.image, attaching: after) {
            connection in
            try keys.filter { key in
                try findings.contains { key.isLost($0) } && key.keepsRows(connection)
            }
        }
        let permits = findings.compactMap { finding in
            kept.first { $0.isLost(finding) }.map { ($0.declarations, $0.loss) } ?? finding.permit(in: old)
        }
        outcome.refusals += findings.map {
            .planRefused("the plan breaks \($0.rule.rawValue): \($0.message)")
        }
        outcome.refusals += try await newFaults(before.image, after)
        if permits.count == outcome.refusals.count { outcome.permits = permits }
        if outcome.refusals.isEmpty { outcome.image = after }
        return outcome
    }

    /// Returns what `integrity_check` finds after the plan if it found nothing before: ALTER TABLE ADD COLUMN gives the
    /// rows of a STRICT table a default of any type. NULLs are left out: the plan's statements must satisfy NOT NULL,
    /// and some SQLite versions check the wrong column of a WITHOUT ROWID table.
    private func newFaults(_ before: Image, _ after: Image) async throws -> [Finding] {
        func faults(_ image: Image) async throws -> [String] {
            let catalog = try await loader.inspector.inspect(image, earlier: nil).catalog
            let check = try await loader.inspector.withConnection(to: image) {
                try IntegrityCheck($0, catalog: catalog)
            }
            return check.damage + check.brokenConstraints.filter { !SQLiteMessage.nullValue.matches($0) }
        }
        let found = try await faults(after)
        guard !found.isEmpty, try await faults(before).isEmpty else { return [] }
        return Set(found).sorted().map { .planRefused("the plan breaks integrity-failure: \($0)") }
    }

    private static func migration(_ plan: MigrationPlan, named name: String) -> Migration {
        let source = SQLSource(name: "plan", plan.text)
        var findings: [Finding] = []
        return Migration(
            identifier: name, path: "plan", statements: source.statements(),
            declarations: DeclarationParser.declarations(in: source, findings: &findings, migration: "plan"))
    }
}

extension Finding {
    /// Returns the declaration that would allow this finding of a plan, and what is then lost.
    fileprivate func permit(in old: Schema) -> (declarations: [String], loss: String)? {
        switch rule {
        case .columnDropped:
            // The planner has declared the other columns; a generated column is lost only if its sources are.
            guard let table, let column, old.table(table)?.column(column)?.generated != nil else {
                return nil
            }
            return (["drops column \(quotedIfNeeded(table)).\(quotedIfNeeded(column))"], message)
        case .valuesChanged:
            guard let table, let column else { return nil }
            return (["rewrites \(quotedIfNeeded(table)).\(quotedIfNeeded(column))"], message)
        case .autoincrementReset: return (["rewrites sqlite_sequence"], message)
        default: return nil
        }
    }
}

extension SchemaChange {
    /// Whether this is a setting of the file's layout, which no migration changes.
    var isLayout: Bool {
        guard case .setting(let setting) = self else { return false }
        switch setting {
        case .pageSize, .encoding, .autoVacuum: return true
        case .userVersion, .applicationID: return false
        }
    }
}
