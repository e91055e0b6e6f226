import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockVerify
import SQLiteSchema

/// Steps with only some of their statements.
extension StepScene {
    /// The statements that can be left out, those of the ways back included.
    var allStatements: [SQLStatement] {
        replay?.check.isRollback == true ? migrations.flatMap(\.allStatements) : statements
    }

    /// Returns the scene with only these statements. In a replay, migrations that have none left are left out.
    /// - Parameter finding: what must be given again; its migration keeps a statement.
    /// - Returns: nil where nothing would be run that was before.
    func with(_ kept: [SQLStatement], for finding: Finding) async throws -> StepScene? {
        let places = Set(kept.map(\.origin))
        var scene = self
        for index in migrations.indices {
            scene.migrations[index].statements.removeAll { !places.contains($0.origin) }
            if replay?.check.isRollback == true {
                scene.migrations[index].down?.statements.removeAll { !places.contains($0.origin) }
            }
        }
        guard let whole = replay else { return scene.statements.isEmpty && !statements.isEmpty ? nil : scene }
        let gone = zip(migrations, scene.migrations).filter { before, now in
            !before.statements.isEmpty && now.statements.isEmpty
        }.map(\.0.identifier)
        if let own = finding.concernedMigration, gone.contains(own) { return nil }
        scene.migrations.removeAll { gone.contains($0.identifier) }
        scene.whole = try await whole.with(scene.migrations, without: Set(gone), watchdog)
        return scene
    }
}

extension Migration {
    /// Its statements, and those of its way back.
    var allStatements: [SQLStatement] { statements + (down?.statements ?? []) }
}

extension SQLStatement {
    /// Where it is, among the statements of all files.
    struct Origin: Hashable {
        let file: String
        let start: Int
    }

    var origin: Origin { Origin(file: source.name, start: range.lowerBound) }
}
