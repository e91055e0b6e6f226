import DrydockFindings
import DrydockMigrations

/// What all replays of a run say together.
extension Verifier {
    /// Returns each finding once: every replay of a migration reports the same about its declarations.
    static func unique(_ findings: [Finding]) -> [Finding] {
        var seen: Set<String> = []
        return findings.filter {
            seen.insert("\($0.place?.file ?? "") \($0.place?.line ?? 0) \($0.message)").inserted
        }
    }

    static func unusedDeclarations(_ results: [ReplayResult], _ context: ReplayContext) -> [Finding] {
        let invalid = Set(results.flatMap(\.migrationFindings).compactMap(\.place))
        var findings: [Finding] = []
        for migration in context.targets {
            // That generated rows do not need a declaration says nothing about those of users.
            let uses = results.filter { !$0.summary.isProbe }.compactMap {
                $0.usedDeclarations[migration.identifier]
            }
            guard !uses.isEmpty else { continue }
            for declaration in context.declarations[migration.identifier] ?? []
            where declaration.canBeUnused && !invalid.contains(declaration.place)
                && !results.contains(where: {
                    $0.usedDeclarations[migration.identifier]?.contains(declaration) ?? false
                })
            {
                findings.append(
                    Finding(
                        .unusedDeclaration, .warning, "no snapshot needs '\(declaration.text)'",
                        help: "Remove it, or add a snapshot whose rows need it.",
                        migration: migration.identifier,
                        place: declaration.place))
            }
        }
        return findings
    }
}
