import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

extension QuotedReferences.Change {
    /// - Parameters:
    ///   - before: the schema before the step.
    ///   - after: the schema after it.
    ///   - damage: what the changed meaning left wrong in the rows and indexes.
    package func finding(
        _ migration: Migration, before: Catalog, after: Catalog, damage: QuotedDamage = .init()
    ) -> StepFinding {
        var finding =
            switch reading {
            case .text: lostColumn(migration, before: before, after: after)
            case .column: foundColumn(migration, before: before, after: after)
            }
        if let first = damage.messages.first {
            finding.rule = .integrityFailure
            finding.sentence = "\(first): \(finding.sentence)"
            if damage.messages.count > 1 {
                finding.evidence = Evidence(
                    rowCount: nil, details: Array(damage.messages.prefix(Evidence.detailLimit)))
            }
        }
        finding.table = object.kind == .view ? nil : object.tableName
        let (object, name, reading, isPlain) = (object, name, reading, isPlain)
        return StepFinding(
            finding,
            stands: { end, lastName in
                let own = object.kind == .table ? lastName(object.name) : object.name
                guard let last = own.flatMap({ end.catalog.definition(of: object.kind, $0) }),
                    last.doublyQuotedNames.contains(name) || isPlain && last.text == object.text
                else { return false }
                return !Self.isUndone(name, reading, since: after, in: end.catalog)
            })
    }

    /// Whether a later step gave back the column that is gone, or took the new one.
    private static func isUndone(
        _ name: String, _ reading: Reading, since after: Catalog, in end: Catalog
    ) -> Bool {
        switch reading {
        case .text:
            end.tables.values.contains { table in
                table.column(name) != nil && after.table(table.name).map { $0.column(name) == nil } ?? false
            }
        case .column:
            after.tables.values.contains { $0.column(name) != nil }
                && !end.tables.values.contains { $0.column(name) != nil }
        }
    }

    private var kind: String { object.kind.rawValue }

    /// The name as the object has it.
    private var spelling: String {
        for statement in SQLSource(name: "", object.text).statements() {
            if let token = statement.token(named: name) {
                return token.identifier(in: statement.source) ?? name
            }
        }
        return name
    }

    // MARK: - A column that became a text

    private func lostColumn(_ migration: Migration, before: Catalog, after: Catalog) -> Finding {
        let owners = before.tables.values.filter { table in
            table.column(name) != nil && after.table(table.name)?.column(name) == nil
        }.map(\.name)
        let place =
            migration.statements.last { $0.action.creates(object) }
            ?? migration.statements.last { statement in
                statement.mentions(object.name) || owners.contains { statement.mentions($0) }
            }
        return Finding(
            .viewBroken,
            "\(kind) \(object.name) reads \(quotedName(spelling)) as the text \(quotedText(spelling)), since no "
                + "column has that name any more",
            help: Help(helpForText(before: before, after: after)),
            place: place.map { .init($0) } ?? .init(file: migration.path))
    }

    private func helpForText(before: Catalog, after: Catalog) -> String {
        guard object.kind != .table else {
            return "SQLite accepts a name in double quotes as a string where no column has it. Rebuild "
                + "\(quotedIfNeeded(object.name)) with constraints that name only its columns."
        }
        let advice = BrokenObjectAdvice(
            object: object, message: "no such column: \(spelling)", catalog: after, earlier: before)
        return "SQLite accepts a name in double quotes as a string where no column has it. " + advice.help
    }

    // MARK: - A text that became a column

    private func foundColumn(_ migration: Migration, before: Catalog, after: Catalog) -> Finding {
        let cause = migration.statements.last { $0.action.adds(column: name) }
        let creation =
            cause ?? migration.statements.last { $0.action.createsTable && $0.mentions(name) }
            ?? migration.statements.last { $0.mentions(name) }
        let place = creation.map { Finding.Place($0) } ?? .init(file: migration.path)
        let adding =
            if let line = place.line { "that line \(line) \(cause == nil ? "creates" : "adds")" } else {
                "that is new"
            }
        let fact =
            isPlain
            ? "\(quotedIfNeeded(spelling)) in \(kind) \(object.name) had another meaning"
            : "\(quotedName(spelling)) in \(kind) \(object.name) was a string"
        return Finding(
            .viewBroken, "\(fact), and is now the column \(adding)",
            help: Help(helpForColumn(before)), place: place)
    }

    private var plainAdvice: String {
        let rowids = ["rowid", "_rowid_", "oid"]
        guard rowids.contains(name) else { return "with its table before it" }
        return "\(listed(rowids.filter { $0 != name })) are names of the rowid too"
    }

    private func helpForColumn(_ before: Catalog) -> String {
        guard !isPlain else {
            return """
                SQLite resolves a name to the nearest column that has it, before a rowid, an outer query's column or an \
                alias. Before the column is added, recreate the \(kind) with a name that keeps its meaning \
                (\(plainAdvice)), or give the column another name.
                """
        }
        let fact = "SQLite reads a name in double quotes as a string only where no column has it."
        let id = object.kind == .table ? nil : before.objects[.init(object.kind, object.name)]
        guard let old = id else {
            return """
                \(fact) Before the column is added, rebuild \(quotedIfNeeded(object.name)) with the string in single \
                quotes, or give the column another name.
                """
        }
        return """
            \(fact) Before the column is added, recreate the \(kind) with the string in single quotes:
            \(proposed("DROP \(kind.uppercased()) \(quotedIfNeeded(object.name));\n\(old.text(withString: name));"))
            """
    }
}

extension StatementAction {
    fileprivate func adds(column name: String) -> Bool {
        switch self {
        case .addColumn(_, let column), .renameColumn(_, _, to: let column): column.foldedASCII == name
        default: false
        }
    }

    fileprivate var createsTable: Bool {
        if case .createTable = self { true } else { false }
    }

    fileprivate func creates(_ object: Catalog.Object) -> Bool {
        switch (self, object.kind) {
        case (.createIndex(let name, _), .index), (.createTrigger(let name, _, _), .trigger),
            (.createView(let name, _), .view):
            name.folded == object.name.foldedASCII
        default: false
        }
    }
}

extension Catalog {
    fileprivate func definition(of kind: Object.Kind, _ name: String) -> Object? {
        kind == .table ? table(name).map(Object.init) : objects[.init(kind, name)]
    }
}
