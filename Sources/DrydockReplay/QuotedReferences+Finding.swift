import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

extension QuotedReferences.Loss {
    /// - Parameters:
    ///   - before: the schema in which the column existed.
    ///   - after: the schema in which it does not.
    func finding(_ migration: Migration, before: Catalog, after: Catalog) -> StepFinding {
        let (object, column) = (object, column)
        let kind = object.kind.rawValue
        let owners = before.tables.values.filter { table in
            table.column(column) != nil && after.table(table.name)?.column(column) == nil
        }.map(\.name)
        let place = migration.statements.last { statement in
            statement.mentions(object.name) || owners.contains { statement.mentions($0) }
        }
        return StepFinding(
            Finding(
                .viewBroken,
                "\(kind) \(object.name) reads \(quotedName(column)) as the text \(quotedText(column)), since no "
                    + "column has that name any more",
                help: Help(help(before: before, after: after)),
                place: place.map { .init($0) } ?? .init(file: migration.path),
                table: object.kind == .view ? nil : object.tableName),
            stands: { end, lastName in
                let name = object.kind == .table ? lastName(object.name) : object.name
                guard let last = name.flatMap({ end.catalog.definition(of: object.kind, $0) }) else {
                    return false
                }
                return last.doublyQuotedNames.contains(column)
                    && !end.catalog.tables.values.contains { table in
                        table.column(column) != nil && before.table(table.name)?.column(column) != nil
                    }
            })
    }

    private func help(before: Catalog, after: Catalog) -> String {
        guard object.kind != .table else {
            return "SQLite accepts a name in double quotes as a string where no column has it. Rebuild "
                + "\(quotedIfNeeded(object.name)) with constraints that name only its columns."
        }
        let advice = BrokenObjectAdvice(
            object: object, message: "no such column: \(column)", catalog: after, earlier: before)
        return "SQLite accepts a name in double quotes as a string where no column has it. " + advice.help
    }
}

extension Catalog {
    fileprivate func definition(of kind: Object.Kind, _ name: String) -> Object? {
        kind == .table ? table(name).map(Object.init) : objects[.init(kind, name)]
    }
}
