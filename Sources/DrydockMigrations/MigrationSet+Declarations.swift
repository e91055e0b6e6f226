import DrydockFindings
import SQLiteSchema

extension MigrationSet {
    /// Adds declarations that stand outside of the migrations, by the name of the migration.
    /// - Throws: ``RequestError`` if there is no migration of a name.
    package mutating func declare(_ declarations: [String: [Declaration]]) throws {
        for (name, more) in declarations.sorted(by: { $0.key < $1.key }) {
            guard let index = index(of: name) else {
                let nearest = nearestName(to: name, in: migrations.map(\.identifier))
                throw RequestError(
                    .settingInvalid,
                    Self.origin(of: more) + " '\(name)', which is not a migration in \(folder)"
                        + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
            }
            migrations[index].declarations += more
        }
    }

    /// Names the option or the line of drydock.yml where declarations stand.
    private static func origin(of declarations: [Declaration]) -> String {
        guard let place = declarations.first?.place else { return "a declaration is for" }
        return place.file + (place.line.map { ":\($0)" } ?? "") + " declares something for"
    }
}
