import DatabaseEngine
import Drydock
import GRDBEngine
import NIOEngine

@testable import DrydockTestSupport

/// Compares Drydock's report on a random case with the oracle's verdict.
struct OracleCheck {
    struct Fault: CustomStringConvertible {
        enum Kind { case miss, alarm }

        var kind: Kind
        /// The rule of a false finding, or the loss that was missed.
        var what: String
        var text: String

        var description: String { "\(kind == .miss ? "MISS" : "FALSE ALARM"): \(text)" }
    }

    let generator: CaseGenerator

    init(seed: UInt64, limits: CaseGenerator.Limits = .init()) throws {
        generator = try CaseGenerator(seed: seed, limits: limits)
    }

    /// The engine: both read the files of other tools in the same way.
    private var engine: any Engine {
        let made = generator.made
        return made.seed % 4 == 0 && made.tool != .drydock && made.tool != .immediate
            ? NIODriver() : GRDBDriver()
    }

    func faults() async throws -> [Fault] {
        let it = generator.made
        let folder = try it.write()
        var request = VerifyRequest()
        request.migrations.folder = folder.file("Migrations")
        request.snapshots.folder = folder.file("Snapshots")
        it.configure(&request)
        let report = try await Verifier(engine: engine).run(request)
        return judge(report)
    }

    private static let aboutData: Set<Rule> = [.rowsLost, .valuesChanged, .tableDropped, .columnDropped]
    private static let aboutState: Set<Rule> = [
        .objectLost, .viewBroken, .foreignKeyViolation, .integrityFailure, .autoincrementReset,
        .searchIndexStale, .referenceMoved,
    ]

    private func judge(_ report: Report) -> [Fault] {
        var faults: [Fault] = []
        let errors = report.findings.filter { $0.severity == .error }
        var known = 0
        for (number, file) in generator.made.files.enumerated() {
            let identifier = generator.made.identifier(number)
            let own = errors.filter { $0.migration == identifier }
            known += own.count
            if let failure = file.failure {
                if !own.contains(where: { $0.rule == .migrationFailed }) {
                    faults.append(
                        Fault(kind: .miss, what: "failure", text: "\(identifier) fails: \(failure)"))
                }
                continue
            }
            guard let last = generator.states.last else { continue }
            let oracle = Oracle(
                generator.states[number], generator.states[number + 1], file.exemptions, last: last)
            for loss in oracle.losses where !loss.isOpen {
                if !own.contains(where: { names($0, loss.names) }) {
                    faults.append(Fault(kind: .miss, what: "loss", text: "\(identifier): \(loss.reason)"))
                }
            }
            faults += judge(
                report.findings.filter { $0.rule == .constraintLost && $0.migration == identifier },
                identifier,
                oracle.constraintVerdicts(last: last))
            for error in own {
                let hasCause: Bool
                if Self.aboutData.contains(error.rule) || error.rule.rawValue == "table-unreadable" {
                    hasCause = oracle.losses.contains { names(error, $0.names) }
                } else if Self.aboutState.contains(error.rule) {
                    hasCause = oracle.hasOtherCause || !oracle.losses.isEmpty
                } else if error.tags.contains(.freshInstall) {
                    hasCause = failsOnEmptyDatabase(number)
                } else {
                    hasCause =
                        error.rule == .pragmaIgnored && (oracle.hasOtherCause || !oracle.losses.isEmpty)
                }
                if !hasCause {
                    faults.append(
                        Fault(
                            kind: .alarm, what: error.rule.rawValue,
                            text: "\(identifier): \(error.rule.rawValue) \(error.message)"))
                }
            }
        }
        for error in errors where error.migration == nil || known < 0 {
            faults.append(
                Fault(
                    kind: .alarm, what: error.rule.rawValue, text: "\(error.rule.rawValue) \(error.message)"))
        }
        return faults
    }

    /// Whether a file is the first to fail on a database without rows, where it may refer to one of them.
    private func failsOnEmptyDatabase(_ number: Int) -> Bool {
        let it = generator.made
        guard var database = try? PlainDatabase() else { return false }
        guard (try? database.execute((it.pragmas + it.schema).joined(separator: ";\n"))) != nil else {
            return false
        }
        for (place, file) in it.files.enumerated() {
            guard let reached = try? OracleRun.result(of: file, on: database, it.tool) else {
                return place == number
            }
            database = reached
        }
        return false
    }

    /// Judges the findings about constraints: every loss is one, and nothing else.
    private func judge(
        _ findings: [Finding], _ identifier: String, _ verdicts: [Oracle.ConstraintVerdict]
    ) -> [Fault] {
        var faults: [Fault] = []
        for verdict in verdicts {
            for loss in verdict.lasting {
                let isReported = findings.contains { finding in
                    names(finding, verdict.names)
                        && OracleConstraintLoss.Kind(message: finding.message) == loss.kind
                        && loss.column.map { finding.message.lowercased().contains($0) } ?? true
                }
                if !isReported {
                    faults.append(
                        Fault(
                            kind: .miss, what: "constraint",
                            text: "\(identifier): \(loss.kind.rawValue) of \(verdict.names.sorted()) is lost")
                    )
                }
            }
        }
        for finding in findings {
            let kind = OracleConstraintLoss.Kind(message: finding.message)
            let own = verdicts.filter { names(finding, $0.names) }
            let hasCause = own.contains { verdict in
                verdict.losses?.contains { $0.kind == kind } ?? true
            }
            if !hasCause, kind != nil || !finding.message.hasPrefix("STRICT") {
                faults.append(
                    Fault(
                        kind: .alarm, what: "constraint",
                        text: "\(identifier): \(finding.rule.rawValue) \(finding.message)"))
            }
        }
        return faults
    }

    private func names(_ error: Finding, _ names: Set<String>) -> Bool {
        if let table = error.table { return names.contains(table.lowercased()) }
        let message = error.message.lowercased()
        return names.contains { message.contains($0) }
    }

    /// Returns the case with everything that was reported about it.
    func text(_ faults: [Fault]) async -> String {
        let made = generator.made
        var text =
            "== seed \(made.seed), \(made.tool.rawValue), \(engine is NIODriver ? "nio" : "grdb")\n"
            + faults.map { "\($0)\n" }.joined()
        text += made.script
        if let folder = try? made.write() {
            var request = VerifyRequest()
            request.migrations.folder = folder.file("Migrations")
            request.snapshots.folder = folder.file("Snapshots")
            made.configure(&request)
            if let report = try? await Verifier(engine: engine).run(request) {
                text +=
                    "Drydock said:\n"
                    + report.findings.map { "  \($0.migration ?? "-") \($0.line)\n" }.joined()
            }
        }
        return text
    }
}
