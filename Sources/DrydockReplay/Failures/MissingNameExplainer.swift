import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// "no such table", "no such column" and the like: which name was meant.
struct MissingNameExplainer: FailureExplainer {
    func explanation(of scene: FailureScene) throws -> FailureExplanation? {
        guard let (name, candidates) = try missing(scene), let near = nearestName(to: name, in: candidates)
        else {
            return nil
        }
        return FailureExplanation(detail: "; did you mean '\(near)'?")
    }

    /// The name that is not there, and those that are.
    private func missing(_ scene: FailureScene) throws -> (String, [String])? {
        let message = scene.error.message
        if let name = message.dropping(prefix: "no such table: ") {
            return (Self.last(name), try names(of: ["table", "view"], scene))
        }
        for kind in ["index", "view", "trigger"] {
            guard let name = message.dropping(prefix: "no such \(kind): ") else { continue }
            return (Self.last(name), try names(of: [kind], scene))
        }
        if let rest = message.dropping(prefix: "no such column: ") {
            let quoted = rest.hasPrefix("\"") ? rest.dropFirst().prefix { $0 != "\"" } : nil
            return (
                quoted.map(String.init) ?? Self.last(rest),
                try columns(scene, qualifier: Self.qualifier(rest))
            )
        }
        if let match = message.wholeMatch(of: /table (.+) has no column named (.+)/) {
            return (String(match.2), try columns(of: String(match.1), scene))
        }
        if let match = message.wholeMatch(of: /unknown column "(.+)" in foreign key definition/) {
            let names = scene.statement?.tokens.compactMap {
                $0.identifier(in: scene.statement?.source ?? SQLSource(name: "", ""))
            }
            return (String(match.1), names?.filter { $0 != String(match.1) } ?? [])
        }
        return nil
    }

    private static func last(_ name: String) -> String {
        name.split(separator: ".").last.map(String.init) ?? name
    }

    private static func qualifier(_ name: String) -> String? {
        let parts = name.split(separator: ".")
        return parts.count > 1 ? String(parts[parts.count - 2]) : nil
    }

    private func names(of kinds: [String], _ scene: FailureScene) throws -> [String] {
        let list = kinds.map(quotedText).joined(separator: ", ")
        return ["main.sqlite_schema", "temp.sqlite_schema"].flatMap { schema in
            (try? scene.connection.rows("SELECT name FROM \(schema) WHERE type IN (\(list)) ORDER BY name") {
                $0.string(0)
            }) ?? []
        }
    }

    private func columns(of table: String, _ scene: FailureScene) throws -> [String] {
        try scene.connection.rows("PRAGMA table_xinfo(\(quotedName(table)))") { $0.string(1) }
    }

    /// The columns of the tables and views that the statement names; of the one that qualifies the name, where
    /// that is a table's.
    private func columns(_ scene: FailureScene, qualifier: String?) throws -> [String] {
        guard let statement = scene.statement else { return [] }
        let words = Set(statement.tokens.compactMap { $0.name(in: statement.source)?.foldedASCII })
        let all = try names(of: ["table", "view"], scene)
        let named = all.filter { words.contains($0.foldedASCII) }
        let own = named.filter { $0.foldedASCII == qualifier?.foldedASCII }
        return try (own.isEmpty ? named : own).flatMap { try columns(of: $0, scene) }
    }
}
