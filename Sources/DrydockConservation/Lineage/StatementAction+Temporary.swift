import SQLiteSchema

extension StatementAction {
    /// Returns the action with names resolved as SQLite does: a name without a schema is that of a temporary table or
    /// view, where one exists (https://www.sqlite.org/lang_naming.html).
    ///
    /// - Parameter temporaries: the folded names of temporary tables and views.
    package func resolved(_ temporaries: Set<String>) -> StatementAction {
        func resolve(_ name: QualifiedName) -> QualifiedName {
            guard name.schema == nil, temporaries.contains(name.folded) else { return name }
            return QualifiedName(schema: "temp", name: name.name)
        }
        func temporary(_ name: QualifiedName) -> QualifiedName {
            QualifiedName(schema: "temp", name: name.name)
        }
        switch self {
        case .createTable(let name, true, let asSelect):
            return .createTable(temporary(name), temporary: true, asSelect: asSelect)
        case .createView(let name, true): return .createView(temporary(name), temporary: true)
        case .dropTable(let name): return .dropTable(resolve(name))
        case .dropView(let name): return .dropView(resolve(name))
        case .renameTable(let name, let to): return .renameTable(resolve(name), to: to)
        case .renameColumn(let name, let from, let to):
            return .renameColumn(resolve(name), from: from, to: to)
        case .addColumn(let name, let column): return .addColumn(resolve(name), column: column)
        case .dropColumn(let name, let column): return .dropColumn(resolve(name), column: column)
        case .insert(let name, let columns, let copy):
            return .insert(resolve(name), columns: columns, copy: copy)
        case .update(let name, let columns): return .update(resolve(name), columns: columns)
        case .delete(let name): return .delete(resolve(name))
        default: return self
        }
    }

    /// Whether the action can create or drop a temporary table or view.
    package var mayChangeTemporaries: Bool {
        switch self {
        case .createTable(let name, _, _), .createView(let name, _), .dropTable(let name),
            .dropView(let name),
            .renameTable(let name, _):
            name.schema?.foldedASCII == "temp"
        case .rollback, .rollbackTo: true
        default: false
        }
    }
}
