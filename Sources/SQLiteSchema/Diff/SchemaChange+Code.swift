extension SchemaChange {
    /// The kind of the change, as a word that never changes its meaning: programs read it, people read the
    /// description.
    public var code: String {
        switch self {
        case .tableAdded: "table-added"
        case .tableDropped: "table-dropped"
        case .tableRenamed: "table-renamed"
        case .table(_, let change): change.code
        case .indexAdded: "index-added"
        case .indexDropped: "index-dropped"
        case .index(_, _, let change): change.code
        case .viewAdded: "view-added"
        case .viewDropped: "view-dropped"
        case .view(_, .columns): "view-columns"
        case .view(_, .query): "view-query"
        case .view(_, .respelled): "view-column-respelled"
        case .triggerAdded: "trigger-added"
        case .triggerDropped: "trigger-dropped"
        case .trigger(_, _, let change): change.code
        case .virtualTableAdded: "virtual-table-added"
        case .virtualTableDropped: "virtual-table-dropped"
        case .virtualTable(_, .module): "virtual-table-module"
        case .virtualTable(_, .arguments): "virtual-table-arguments"
        case .respelled(let kind, _, _): kind.rawValue.replacing(" ", with: "-") + "-respelled"
        case .unparsedAdded: "unparsed-added"
        case .unparsedDropped: "unparsed-dropped"
        case .unparsedChanged: "unparsed-definition"
        case .setting(let change): change.code
        }
    }

    /// The name of the column, index, view, trigger or table that changed; nil for constraints and settings.
    public var object: String? {
        switch self {
        case .table(_, .columnAdded(let column)), .table(_, .columnDropped(let column)): column.name
        case .table(_, .columnRenamed(_, let name)), .table(_, .columnRespelled(_, let name)),
            .table(_, .column(let name, _)):
            name
        case .table, .setting: nil
        case .tableAdded(let table), .tableDropped(let table): table.name
        case .indexAdded(let index), .indexDropped(let index): index.name
        case .viewAdded(let view), .viewDropped(let view): view.name
        case .triggerAdded(let trigger), .triggerDropped(let trigger): trigger.name
        case .virtualTableAdded(let table), .virtualTableDropped(let table): table.name
        case .unparsedAdded(let object), .unparsedDropped(let object), .unparsedChanged(_, let object):
            object.name
        case .tableRenamed(_, let name), .index(let name, _, _), .view(let name, _),
            .trigger(let name, _, _), .virtualTable(let name, _), .respelled(_, _, let name):
            name
        }
    }
}

extension TableChange {
    fileprivate var code: String {
        switch self {
        case .columnAdded: "column-added"
        case .columnDropped: "column-dropped"
        case .columnRenamed: "column-renamed"
        case .columnRespelled: "column-respelled"
        case .column(_, let change): change.code
        case .columnOrder: "column-order"
        case .primaryKey: "primary-key"
        case .primaryKeyTerms: "primary-key-terms"
        case .primaryKeyConflict: "primary-key-conflict"
        case .autoincrement: "autoincrement"
        case .rowidAlias: "rowid-alias"
        case .uniqueAdded: "unique-added"
        case .uniqueDropped: "unique-dropped"
        case .uniqueTerms: "unique-terms"
        case .uniqueConflict: "unique-conflict"
        case .checkAdded: "check-added"
        case .checkDropped: "check-dropped"
        case .checkExpression: "check-expression"
        case .foreignKeyAdded: "foreign-key-added"
        case .foreignKeyDropped: "foreign-key-dropped"
        case .foreignKey(_, let change): change.code
        case .constraintName: "constraint-name"
        case .withoutRowid: "without-rowid"
        case .strict: "strict"
        }
    }
}

extension ColumnChange {
    fileprivate var code: String {
        switch self {
        case .declaredType: "column-type"
        case .affinity: "column-affinity"
        case .notNull: "column-not-null"
        case .notNullConflict: "column-not-null-conflict"
        case .notNullName: "column-not-null-name"
        case .collation: "column-collation"
        case .defaultValue: "column-default"
        case .generated: "column-generated"
        case .generatedExpression: "column-generated-expression"
        case .generatedStorage: "column-generated-storage"
        }
    }
}

extension ForeignKeyChange {
    fileprivate var code: String {
        switch self {
        case .parent: "foreign-key-parent"
        case .parentColumns: "foreign-key-parent-columns"
        case .onDelete: "foreign-key-on-delete"
        case .onUpdate: "foreign-key-on-update"
        case .match: "foreign-key-match"
        case .deferred: "foreign-key-deferred"
        }
    }
}

extension IndexChange {
    fileprivate var code: String {
        switch self {
        case .table: "index-table"
        case .unique: "index-unique"
        case .terms: "index-terms"
        case .expression: "index-expression"
        case .collation: "index-collation"
        case .direction: "index-direction"
        case .condition: "index-condition"
        }
    }
}

extension TriggerChange {
    fileprivate var code: String {
        switch self {
        case .table: "trigger-table"
        case .timing: "trigger-timing"
        case .event: "trigger-event"
        case .condition: "trigger-condition"
        case .body: "trigger-body"
        }
    }
}

extension SettingChange {
    fileprivate var code: String {
        switch self {
        case .userVersion: "user-version"
        case .applicationID: "application-id"
        case .pageSize: "page-size"
        case .encoding: "encoding"
        case .autoVacuum: "auto-vacuum"
        }
    }
}
