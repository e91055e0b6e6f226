import DatabaseEngine
import Drydock
import DrydockReport
import Foundation
import Testing
import XCTest

/// Records issues in the running test, in Swift Testing or XCTest.
struct TestIssues {
    let site: CallSite

    /// Records an issue for each cause and throws one error for all; records one issue if no report could be made.
    /// - Throws: ``MigrationsNotVerified``, and what the closure throws.
    func raise(_ make: () async throws -> Report) async throws {
        let report: Report
        do {
            report = try await make()
        } catch {
            try Task.checkCancellation()
            fail("the migrations could not be verified: \((error as? EngineError)?.message ?? "\(error)")")
            throw error
        }
        let text = FindingText(redacts: ProcessInfo.processInfo.environment["CI"] != nil)
        for (severity, words) in text.issues(report) {
            switch severity {
            case .error: fail(words)
            case .warning: warn(words)
            case .note: continue
            }
        }
        guard report.hasPassed else { throw MigrationsNotVerified(report: report) }
    }

    /// Fails the test that runs the current task. A detached task belongs to no test: the failure then goes to both
    /// libraries, and only the one that is running takes it.
    func fail(_ words: String) {
        let isKnown = Test.current != nil
        Issue.record(Comment(rawValue: words), sourceLocation: location)
        if !isKnown { XCTFail(words, file: site.filePath, line: site.line) }
    }

    /// Reports a warning, which does not fail the test.
    func warn(_ words: String) {
        #if compiler(>=6.3)
        if Test.current != nil {
            Issue.record(Comment(rawValue: words), severity: .warning, sourceLocation: location)
            return
        }
        #endif
        FileHandle.standardError.write(Data("\(site.path):\(site.line): warning: \(words)\n".utf8))
    }

    private var location: Testing.SourceLocation {
        Testing.SourceLocation(
            fileID: "\(site.fileID)", filePath: site.path, line: Int(site.line), column: Int(site.column))
    }
}
