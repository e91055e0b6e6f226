import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// What `drydock diff` is asked.
public struct DiffRequest: Sendable {
    public var old: SchemaSource
    public var new: SchemaSource
    /// What was renamed, where somebody says so.
    public var hints = RenameHints()
    /// Whether renames that nobody told of are looked for.
    public var detectsRenames = true
    /// Whether the SQL that takes the old schema to the new one is wanted.
    public var wantsPlan = false
    /// Whether the way back is wanted too.
    public var wantsDownPlan = false
    public var allowsLoss = false
    public var alterSupport = AlterSupport.current
    public var functions: [FunctionStub] = []
    public var collations: [CollationStub] = []

    public init(from old: SchemaSource, to new: SchemaSource) {
        self.old = old
        self.new = new
    }
}

/// What tells two schemas apart, and the SQL between them.
public struct DiffReport: Sendable {
    public var old: String
    public var new: String
    /// Quiet ones included.
    public var changes: [SchemaChange]
    public var oldSchema: Schema
    public var newSchema: Schema
    /// Objects that could not be parsed and were compared by tokens.
    public var unparsed: [String] = []
    /// What was taken as renamed without being told, and what may be.
    public var renames = RenameDecision()
    public var plan: MigrationPlan?
    public var downPlan: MigrationPlan?
    /// Why a plan is not given.
    public var refusals: [String] = []

    public var isSame: Bool { changes.allSatisfy(\.isQuiet) }
}

/// Compares schemas by meaning, and proves every plan before it gives it.
public struct SchemaComparer: Sendable {
    private let engine: any Engine

    public init(engine: any Engine) { self.engine = engine }

    /// - Throws: ``RequestError`` for a source that cannot be read.
    public func run(_ request: DiffRequest) async throws -> DiffReport {
        let loader = SchemaLoader(
            engine: engine, functions: request.functions, collations: request.collations)
        let old = try await loader.load(request.old)
        let new = try await loader.load(request.new)
        let unused = request.hints.unused(from: old.schema, to: new.schema)
        guard unused.isEmpty else {
            throw RequestError(
                "a rename does not fit the two schemas: \(unused.joined(separator: ", ")) must be in the old one alone"
            )
        }
        var request = request
        var decision = RenameDecision()
        if request.detectsRenames {
            (request.hints, decision) = try await RenameEvidence(
                old: old, new: new, inspector: loader.inspector
            )
            .decide(request.hints)
        }
        var report = DiffReport(
            old: request.old.text, new: request.new.text,
            changes: SchemaDiff(from: old.schema, to: new.schema, hints: request.hints).changes(),
            oldSchema: old.schema, newSchema: new.schema, renames: decision)
        report.unparsed =
            (old.schema.unparsed.values.map { "\(request.old.text): \($0.name): \($0.reason)" }
            + new.schema.unparsed.values.map { "\(request.new.text): \($0.name): \($0.reason)" }).sorted()
        guard request.wantsPlan || request.wantsDownPlan, !report.isSame else { return report }
        try await plan(request, from: old, to: new, loader, into: &report)
        return report
    }

    /// The schema of one source.
    /// - Throws: ``RequestError`` for a source that cannot be read.
    public func schema(of source: SchemaSource) async throws -> Schema {
        try await SchemaLoader(engine: engine, functions: [], collations: []).load(source).schema
    }

    private func plan(
        _ request: DiffRequest, from old: LoadedSource, to new: LoadedSource, _ loader: SchemaLoader,
        into report: inout DiffReport
    ) async throws {
        let planner = MigrationPlanner(
            from: old.schema, to: new.schema, hints: request.hints, support: request.alterSupport)
        let plan = planner.plan()
        if !plan.losses.isEmpty, !request.allowsLoss {
            report.refusals = [
                "the plan would lose " + plan.losses.joined(separator: ", ") + "; --allow-loss allows it"
            ]
            return
        }
        let proof = PlanProof(loader: loader, engine: engine)
        let result = try await proof.run(plan, on: old.image, to: new.schema)
        guard result.refusals.isEmpty, let image = result.image else {
            report.refusals = result.refusals
            return
        }
        report.plan = plan
        guard request.wantsDownPlan else { return }
        let back = MigrationPlanner(
            from: new.schema, to: old.schema, hints: request.hints.reversed, support: request.alterSupport
        ).plan()
        let down = try await proof.run(back, named: "drydock down plan", on: image, to: old.schema)
        if down.refusals.isEmpty {
            report.downPlan = back
        } else {
            report.refusals = down.refusals.map { "the way back: \($0)" }
        }
    }
}

/// Runs a plan on the old database with its rows, on an overlay, and holds the result against what was wanted.
struct PlanProof: Sendable {
    let loader: SchemaLoader
    let engine: any Engine

    struct Outcome {
        var image: Image?
        var refusals: [String] = []
    }

    /// - Parameter name: the history keeps it, so that no two plans on one state may have the same.
    /// - Returns: the migrated state, or why the plan must not be given.
    func run(
        _ plan: MigrationPlan, named name: String = "drydock plan", on image: Image, to wanted: Schema
    ) async throws -> Outcome {
        let migration = Self.migration(plan, named: name)
        let inspector = loader.inspector
        let overlay = try Overlay(image)
        let database = try await engine.open(overlay, settings: inspector.settings)
        do {
            _ = try await MigrationRun(migration).apply(to: database)
            try await database.withConnection { try $0.checkpoint() }
            try await database.close()
        } catch {
            try? await database.close()
            return Outcome(refusals: [Self.describe(error, migration)])
        }
        let after = overlay.freeze().image
        var refusals: [String] = []
        let schema = try await loader.schema(of: after, .script)
        let left = SchemaDiff(from: schema, to: wanted).changes().filter { !$0.isQuiet && !$0.isLayout }
        refusals += left.map { "after the plan the schema still differs: \($0)" }
        let before = try await inspector.inspect(image, earlier: nil)
        let outcome = try await StepVerification(
            migration: migration, declarations: migration.declarations, before: before,
            after: try await inspector.inspect(after, earlier: before, foreignKeysAreProven: true),
            inspector: inspector, engine: engine
        ).run()
        refusals += (outcome.findings.map(\.finding) + outcome.declarationFindings)
            .filter { $0.severity == .error }.map { "the plan breaks \($0.rule.rawValue): \($0.message)" }
        refusals += try await newFaults(image, after)
        return Outcome(image: refusals.isEmpty ? after : nil, refusals: refusals)
    }

    /// What `integrity_check` finds after the plan, where it found nothing before: ALTER TABLE ADD COLUMN
    /// gives the rows of a STRICT table a default of any type. A NULL is left out, since the plan's statements
    /// are held to NOT NULL, and some SQLite read the wrong column of a table WITHOUT ROWID there.
    private func newFaults(_ before: Image, _ after: Image) async throws -> [String] {
        func faults(_ image: Image) async throws -> [String] {
            let catalog = try await loader.inspector.inspect(image, earlier: nil).catalog
            let check = try await loader.inspector.withConnection(to: image) {
                try IntegrityCheck($0, catalog: catalog)
            }
            return check.damage + check.brokenConstraints.filter { !$0.hasPrefix("NULL value in ") }
        }
        let found = try await faults(after)
        guard !found.isEmpty, try await faults(before).isEmpty else { return [] }
        return Set(found).sorted().map { "the plan breaks integrity-failure: \($0)" }
    }

    static func migration(_ plan: MigrationPlan, named name: String) -> Migration {
        let source = SQLSource(name: "plan", plan.text)
        var findings: [Finding] = []
        return Migration(
            identifier: name, path: "plan", statements: source.statements(),
            declarations: DeclarationParser.declarations(in: source, findings: &findings, migration: "plan"))
    }

    private static func describe(_ error: any Error, _ migration: Migration) -> String {
        // The engine's own message about a foreign key shows a whole row.
        if (error as? EngineError)?.isForeignKeyCheckFailure == true {
            return
                "the plan does not run: rows of the old database reference what does not exist in the new schema"
        }
        guard let failure = error as? StatementFailure else { return "the plan does not run: \(error)" }
        return "the plan does not run on the old database: \(failure.error.message)\n  "
            + migration.statements[failure.index].text.replacing("\n", with: "\n  ")
    }
}

extension SchemaChange {
    /// Of the file's layout, which no migration makes.
    var isLayout: Bool {
        guard case .setting(let setting) = self else { return false }
        switch setting {
        case .pageSize, .encoding, .autoVacuum: return true
        case .userVersion, .applicationID: return false
        }
    }
}
