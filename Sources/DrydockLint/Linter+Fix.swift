import DrydockFindings
import DrydockReplay

/// Applies the fixes that are certain, in memory.
extension Linter {
    /// Lints, makes the rewrites, and lints their result, until there is nothing left to rewrite.
    ///
    /// Nothing is written: that is ``FileRewrite/write()``.
    /// - Throws: as ``run(_:)``.
    public func fix(_ request: LintRequest) async throws -> LintOutcome {
        let start = ContinuousClock.now
        var outcome = try await run(request)
        var rewrites: [String: FileRewrite] = [:]
        var fixed: [LintFix] = []
        // A fix that makes another possible does so once or twice.
        for _ in 0..<Self.roundLimit where !outcome.rewrites.isEmpty {
            for rewrite in outcome.rewrites {
                rewrites[rewrite.path] = rewrites[rewrite.path]?.followed(by: rewrite) ?? rewrite
            }
            let next = try await run(request, edited: rewrites.mapValues(\.result))
            fixed += Self.fixesMade(outcome, next.report.findings)
            outcome = next
        }
        outcome.rewrites = rewrites.values.sorted { naturallyPrecedes($0.path, $1.path) }
        outcome.report.setFixed(fixed)
        outcome.report.seconds = (ContinuousClock.now - start).inSeconds
        return outcome
    }

    /// Returns the findings that remain where only some of the rewrites could be written.
    ///
    /// - Parameters:
    ///   - outcome: the result of ``fix(_:)`` for the same request.
    ///   - paths: the files that were written.
    /// - Throws: as ``run(_:)``.
    public func report(
        _ request: LintRequest, of outcome: LintOutcome, written paths: Set<String>
    ) async throws -> Report {
        var report = try await run(request).report
        report.setFixed(outcome.report.lint?.fixed?.filter { paths.contains($0.place.file) })
        report.seconds += outcome.report.seconds
        return report
    }

    private static let roundLimit = 8

    /// Returns the fixes whose findings are gone.
    private static func fixesMade(_ outcome: LintOutcome, _ now: [Finding]) -> [LintFix] {
        outcome.rewrites.flatMap(\.fixes).filter { fix in
            func count(_ findings: [Finding]) -> Int {
                findings.count {
                    $0.rule == fix.rule && $0.migration == fix.migration && $0.message == fix.message
                }
            }
            return count(now) < count(outcome.report.findings)
        }
    }
}

extension Report {
    fileprivate mutating func setFixed(_ fixed: [LintFix]?) {
        guard case .lint(var lint) = body else { return }
        lint.fixed = fixed
        body = .lint(lint)
    }
}
