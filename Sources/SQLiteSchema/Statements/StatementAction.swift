/// The effect of one statement, as far as replaying and reporting must know it without a full parser.
///
/// Names are unquoted, and the schema that qualifies them is separate. A statement that SQLite would refuse
/// has the action that it seems to have, or `other`; an action does not prove that a statement is valid. The
/// grammar is that of https://www.sqlite.org/lang.html.
public enum StatementAction: Sendable, Hashable {
    case begin
    /// COMMIT or END.
    case commit
    /// ROLLBACK without TO.
    case rollback
    case savepoint(String)
    case release(String)
    case rollbackTo(String)

    /// The value is unquoted, for `= value` and `(value)` alike; nil if the pragma only queries.
    case pragma(schema: String?, name: String, value: String?)
    case attach(file: AttachedFile)
    case detach
    /// VACUUM, or VACUUM INTO another file.
    case vacuum(into: Bool)

    case createTable(QualifiedName, temporary: Bool, asSelect: Bool)
    case createVirtualTable(QualifiedName, module: String)
    case createIndex(QualifiedName, on: String)
    case createView(QualifiedName, temporary: Bool)
    case createTrigger(QualifiedName, on: String, temporary: Bool)
    case dropTable(QualifiedName)
    case dropIndex(QualifiedName)
    case dropView(QualifiedName)
    case dropTrigger(QualifiedName)

    case renameTable(QualifiedName, to: String)
    case renameColumn(QualifiedName, from: String, to: String)
    case addColumn(QualifiedName, column: String)
    case dropColumn(QualifiedName, column: String)

    /// INSERT or REPLACE; `columns` is nil if the statement lists none, `copy` if it has no SELECT.
    case insert(QualifiedName, columns: [String]?, copy: CopySource?)
    /// The columns that SET assigns to, in order.
    case update(QualifiedName, columns: [String])
    case delete(QualifiedName)
    /// SELECT or VALUES, with or without WITH.
    case select
    case reindex
    case analyze
    /// EXPLAIN of any statement, which is not run.
    case explain
    case other
}

extension StatementAction {
    /// The table, index, view or trigger that the statement creates, changes or fills.
    public var target: QualifiedName? {
        switch self {
        case .createTable(let name, let temporary, _), .createView(let name, let temporary),
            .createTrigger(let name, _, let temporary):
            temporary ? QualifiedName(schema: "temp", name: name.name) : name
        case .createVirtualTable(let name, _), .createIndex(let name, _), .dropTable(let name),
            .dropIndex(let name), .dropView(let name), .dropTrigger(let name), .renameTable(let name, _),
            .renameColumn(let name, _, _), .addColumn(let name, _), .dropColumn(let name, _),
            .insert(let name, _, _), .update(let name, _), .delete(let name):
            name
        default: nil
        }
    }
}

/// The file that an ATTACH names.
public enum AttachedFile: Sendable, Hashable {
    /// The file's name or URI; `:memory:` and the empty text name no file
    /// (https://www.sqlite.org/lang_attach.html).
    case literal(String)
    /// A name that is computed, or bound to a parameter.
    case expression
}
