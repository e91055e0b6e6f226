import Drydock
import Foundation
import GRDBEngine

@testable import DrydockTestSupport

/// The code of docs/library.md and of the library's own pages, so that it compiles; it is not run.
private func libraryPage() async throws {
    var request = VerifyRequest()
    request.migrations.folder = "db/migrations"
    let report = try await Verifier(engine: GRDBDriver()).run(request)
    print(report.hasPassed, report.findings.count)
}

/// The code of ReadingAReport.md.
private func readingAReport(_ request: VerifyRequest) async throws {
    let report = try await Verifier(engine: GRDBDriver()).run(request)
    for finding in report.findings where finding.severity == .error {
        print(finding.rule.rawValue, finding.snapshot ?? "", finding.migration ?? "", finding.message)
    }
    for rule in report.notChecked {
        print("not checked:", rule)
    }
    exit(report.hasPassed ? 0 : 1)
}

private func reasons(
    _ request: MigrateRequest, show: (Any) -> Void, tryAgainLater: () -> Void,
    askForTheFormat: (String) -> Void
) async throws {
    do {
        let report = try await Migrator(engine: GRDBDriver()).run(request)
        show(report)
    } catch let error as RequestError {
        switch error.reason {
        case .databaseBusy: tryAgainLater()
        case .formatAmbiguous: askForTheFormat(error.description)
        default: show(error.description)
        }
    }
}
