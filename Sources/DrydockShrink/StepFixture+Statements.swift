import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockVerify
import SQLiteSchema

/// Steps with only some of their statements.
extension StepFixture {
    /// The statements that can be left out, those of the ways back included.
    var allStatements: [SQLStatement] {
        replay?.check.isRollback == true ? migrations.flatMap(\.allStatements) : statements
    }

    /// Returns the fixture with only these statements. In a replay, migrations that have none left are left out.
    /// - Parameter finding: what must be given again; its migration keeps a statement.
    /// - Returns: nil where nothing would be run that was before.
    func with(_ kept: [SQLStatement], for finding: Finding) async throws -> StepFixture? {
        let places = Set(kept.map(\.origin))
        var fixture = self
        for index in migrations.indices {
            fixture.migrations[index].statements.removeAll { !places.contains($0.origin) }
            if replay?.check.isRollback == true {
                fixture.migrations[index].down?.statements.removeAll { !places.contains($0.origin) }
            }
        }
        guard let whole = replay else {
            return fixture.statements.isEmpty && !statements.isEmpty ? nil : fixture
        }
        let gone = zip(migrations, fixture.migrations).filter { before, now in
            !before.statements.isEmpty && now.statements.isEmpty
        }.map(\.0.identifier)
        if let own = finding.concernedMigration, gone.contains(own) { return nil }
        fixture.migrations.removeAll { gone.contains($0.identifier) }
        fixture.whole = try await whole.with(fixture.migrations, without: Set(gone), watchdog)
        return fixture
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
