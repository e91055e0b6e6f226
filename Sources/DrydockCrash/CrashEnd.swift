import DatabaseEngine
import DrydockMigrations
import DrydockReplay
import DrydockState
import OverlayVFS
import SQLiteSchema

/// The end of an uninterrupted run.
struct CrashEnd: Sendable {
    private let image: Image
    private let pages: Set<UInt32>
    private let context: ReplayContext
    let inspector: StateInspector
    private let history: AppliedHistory?
    private let catalog: Catalog

    init(
        _ image: Image, _ pages: Set<UInt32>, _ context: ReplayContext, _ inspector: StateInspector
    ) async throws {
        (self.image, self.pages, self.context, self.inspector) = (image, pages, context, inspector)
        history = try await Self.history(of: image, context, inspector)
        catalog = try await inspector.catalog(of: image)
    }

    private static func history(
        of image: Image, _ context: ReplayContext, _ inspector: StateInspector
    ) async throws -> AppliedHistory? {
        let set = context.set
        return try await inspector.withConnection(to: image) { try set.history($0) }
    }

    /// Returns what a start leads to that took place after a crash.
    /// - Parameter pages: those of the state that the crash left which may differ from the state before the migrations.
    func result(
        of ending: CrashRestart.Ending, _ pages: Set<UInt32>
    ) async throws -> CrashCheck.Result {
        switch ending {
        case .failed(let failure, _): return .stuck(failure)
        case .refused:
            let name = context.set.format.name
            return .stuck(CrashRestart.Failure(EngineError(.error, "\(name) refuses to start")))
        case .reached(let image, let more, _):
            let parts = try await differences(from: image, pages.union(more))
            return parts.isEmpty ? .same : .differs(parts, image)
        }
    }

    /// Returns what differs in another state, the tool's own tables aside.
    /// - Parameter others: the pages of the other state that may differ from the state before the migrations.
    func differences(from other: Image, _ others: Set<UInt32>) async throws -> Set<StateComparison.Part> {
        guard try !StateComparison.areEqual(image, other, pages.union(others)) else { return [] }
        let format = context.set.format
        let shared = Set(format.sharedTables.map(\.foldedASCII))
        var parts = try await StateComparison(inspector: inspector).parts(image, other).filter { part in
            switch part {
            case .rows(let table), .column(let table, _): !shared.contains(table.foldedASCII)
            case .pragma("user_version"): !format.usesUserVersion
            case .object, .pragma: true
            }
        }
        // The same definition can be spelled in two ways.
        let objects = parts.filter { if case .object = $0 { true } else { false } }
        if !objects.isEmpty {
            let theirs = try await inspector.catalog(of: other)
            if SchemaDiff(from: catalog.schema, to: theirs.schema).changes().isEmpty {
                parts.subtract(objects)
            }
        }
        let theirs = try await Self.history(of: other, context, inspector)
        if theirs?.identifiers.sorted() != history?.identifiers.sorted()
            || theirs?.checksums != history?.checksums
        {
            parts.insert(.object(kind: "the history", format.historyTable ?? "user_version"))
        }
        return parts
    }
}
