import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// What `drydock diff` compares, and how.
public struct DiffRequest: Sendable {
    public var old: SchemaSource
    public var new: SchemaSource
    /// The renames that the user declares.
    public var hints = RenameHints()
    /// Whether to look for renames that the user did not declare.
    public var detectsRenames = true
    /// Whether the order of columns counts as a difference too.
    public var comparesColumnOrder = false
    /// Whether to write the SQL that migrates the old schema to the new one.
    public var wantsPlan = false
    /// Whether to write the way back too.
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

/// Compares schemas by meaning, and proves every plan before it is given.
///
///     var request = DiffRequest(from: try SchemaSource("old.sqlite"), to: try SchemaSource("schema.sql"))
///     request.wantsPlan = true
///     let report = try await SchemaComparer(engine: GRDBDriver()).run(request)
///     print(report.diff?.plan?.text ?? report.findings.map(\.message).joined(separator: "\n"))
public struct SchemaComparer: Sendable {
    private let engine: any Engine

    public init(engine: any Engine) { self.engine = engine }

    /// Compares two schemas.
    /// - Throws: ``RequestError`` if a source cannot be read.
    public func run(_ request: DiffRequest) async throws -> Report {
        let start = ContinuousClock.now
        let loader = SchemaLoader(
            engine: engine, functions: request.functions, collations: request.collations,
            historyTables: [request.old, request.new].compactMap(\.options.historyTable))
        let old = try await loader.load(request.old)
        let new = try await loader.load(request.new)
        let misfits = request.hints.misfits(from: old.schema, to: new.schema)
        guard misfits.isEmpty else {
            let reasons = misfits.map { "\($0.hint): \($0.reason)" }.joined(separator: "; ")
            throw RequestError(.settingInvalid, "a rename does not fit the two schemas: \(reasons)")
        }
        var request = request
        var decision = RenameDecision()
        if request.detectsRenames {
            (request.hints, decision) = try await RenameEvidence(
                old: old, new: new, inspector: loader.inspector
            )
            .decide(request.hints)
        }
        var diff = DiffSummary(
            old: request.old.text, new: request.new.text,
            changes: SchemaDiff(from: old.schema, to: new.schema, hints: request.hints).changes()
                .filter { request.comparesColumnOrder || !$0.isQuiet },
            oldSchema: old.schema, newSchema: new.schema)
        diff.renames = decision
        diff.unparsed =
            (old.schema.unparsed.values.map { "\(request.old.text): \($0.name): \($0.reason)" }
            + new.schema.unparsed.values.map { "\(request.new.text): \($0.name): \($0.reason)" }).sorted()
        var refusals: [Finding] = []
        if request.wantsPlan || request.wantsDownPlan, !diff.isSame {
            refusals = try await plan(request, from: old, to: new, loader, into: &diff)
        }
        var report = Report(.diff(diff))
        report.findings = refusals
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }

    /// Returns the schema of one source.
    /// - Throws: ``RequestError`` if the source cannot be read.
    public func schema(
        of source: SchemaSource, functions: [FunctionStub] = [], collations: [CollationStub] = []
    ) async throws -> Schema {
        try await SchemaLoader(
            engine: engine, functions: functions, collations: collations,
            historyTables: [source.options.historyTable].compactMap(\.self)
        ).load(source).schema
    }

    /// Writes the plans, or returns why one is not given.
    private func plan(
        _ request: DiffRequest, from old: LoadedSource, to new: LoadedSource, _ loader: SchemaLoader,
        into diff: inout DiffSummary
    ) async throws -> [Finding] {
        let missing = request.alterSupport.missing(in: new.schema)
        guard missing.isEmpty else {
            return missing.map {
                .planRefused(
                    "the new schema cannot be read by so old an SQLite: \($0)",
                    help: "Name a later --sqlite-version.")
            }
        }
        let proof = PlanProof(loader: loader, engine: engine, allowsLoss: request.allowsLoss)
        let up = try await proof.plan(
            from: old.image, old.schema, to: new.schema, hints: request.hints, support: request.alterSupport)
        guard up.refusals.isEmpty, let image = up.image else { return up.refusals }
        diff.plan = up.plan
        diff.plan?.notes = diff.renames.taken.map {
            "Treated as renamed: \($0.oldPath) to \($0.to) (\($0.evidence))."
        }
        guard request.wantsDownPlan else { return [] }
        let back = PlanProof(loader: loader, engine: engine, allowsLoss: true, name: "drydock down plan")
        let down = try await back.plan(
            from: image, new.schema, to: old.schema, hints: request.hints.reversed,
            support: request.alterSupport)
        guard down.refusals.isEmpty else {
            return down.refusals.map { .planRefused("the way back: \($0.message)", help: $0.help) }
        }
        diff.downPlan = down.plan
        diff.downPlan?.notes = diff.plan?.notes ?? []
        return []
    }
}
