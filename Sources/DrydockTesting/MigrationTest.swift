import DatabaseEngine
import Drydock
import Foundation
import GRDB
import SQLiteSchema

/// One call of ``verifyMigrations(_:snapshots:declaring:configuration:lock:fileID:filePath:line:column:)``.
struct MigrationTest: Sendable {
    let migrator: DatabaseMigrator
    let snapshots: String
    let declarations: [String: [Declaration]]
    let configuration: Configuration
    let lock: String?
    let site: CallSite

    /// - Throws: ``RequestError``, ``EngineError``, CancellationError.
    func report() async throws -> Report {
        let engine = MigratorEngine(migrator: migrator, configuration: configuration)
        if let refusal = engine.refusal { return .init(refusal) }
        guard let folder = TestFiles(site: site).find(snapshots) else { return .init(missingSnapshots) }
        let closures = try await ClosureSet(engine)
        let set = try closures.migrations(declaring: declarations)
        var request = VerifyRequest()
        request.migrations.folder = set.folder
        request.snapshots.folder = folder
        if !FolderListing.isFolder(folder) { request.snapshots.paths = [folder] }
        request.jobs = ProcessInfo.processInfo.activeProcessorCount
        var report = try await OwnCode.run { [request] in
            try await Verifier(engine: engine).run(request, set)
        }
        if let lock {
            report.findings += try ClosureLock(lock, beside: folder, site, closures).findings()
        }
        for index in report.findings.indices { report.findings[index].explain(folder) }
        return report
    }

    private var missingSnapshots: Finding {
        Finding(
            .nothingVerified, "there is no '\(snapshots)' beside \(site.path), nor in a folder above it",
            help: Finding.snapshotHelp)
    }

}

extension ProposedDeclaration {
    /// The form of an argument for `declaring:`.
    fileprivate func asArgument(for migration: String) -> Form {
        let place = Finding.Place(file: migration)
        guard case .success(let declarations) = Declaration.parse(words, place: place, migration: migration)
        else { return .code(words) }
        let swift = declarations.map(\.kind.swift).joined(separator: ", ")
        return .code("declaring: [\(String(reflecting: migration)): [\(swift)]]")
    }
}

extension Report {
    init(_ finding: Finding) {
        self.init(.verify(VerifySummary()))
        findings = [finding]
    }
}

extension Finding {
    static let snapshotHelp =
        "A snapshot is a database as a released version left it, with rows. Copy one there, or create one with "
        + "recordSnapshot(at:of:)."

    /// Replaces help written for users of the command line with help for a test.
    fileprivate mutating func explain(_ folder: String) {
        if let migration { advice.setForms { $0.asArgument(for: migration) } }
        switch rule {
        case .nothingVerified where place?.file == folder:
            advice = Help(Self.snapshotHelp)
        case .migrationFailed where advice.hasStandIn:
            advice =
                "If the app registers it, pass the app's own configuration: configuration: "
                + "AppDatabase.configuration"
        default: break
        }
    }
}
