/// The words of a rule of `drydock health`: what is wrong with a database, and why that matters.
public struct HealthRuleText: Sendable {
    /// What is wrong, in one line.
    public var summary: String
    public var why: String

    fileprivate init(_ summary: String, why: String) { (self.summary, self.why) = (summary, why) }
}

extension Rule {
    /// Whether only `drydock health` checks the rule.
    package var isOfHealthAlone: Bool {
        healthText != nil && lintText == nil && ![.viewBroken, .tableUnreadable].contains(self)
    }

    /// The words of a rule of `drydock health`; nil for the other rules.
    public var healthText: HealthRuleText? {
        switch self {
        case .fileHeader:
            .init(
                "the file is not a database, is cut short, or is not what its header says",
                why: "SQLite refuses the file, or reads another size than it has.")
        case .journal:
            .init(
                "a hot journal, or a write-ahead log that nobody has open or of which SQLite reads only a part, lies beside the file",
                why: "The file alone is not the database; a copy without the journal is damaged.")
        case .walSize:
            .init(
                "the write-ahead log is large",
                why: "Every read looks through it, and the disk fills up.")
        case .walCheckpoint:
            .init(
                "a long read transaction keeps a checkpoint from finishing",
                why: "The log grows with every write as long as that lasts.")
        case .sqliteVersion:
            .init(
                "the SQLite that wrote last, or this one, is known to damage databases at times",
                why: "SQLite's own list says so (https://www.sqlite.org/howtocorrupt.html#bugs_in_sqlite).")
        case .diskSpace:
            .init(
                "the disk has no room for a VACUUM",
                why: "VACUUM fails, and a growing database soon does too.")
        case .pageSize:
            .init(
                "a page is smaller than a block of the file system",
                why: "Each page that is written has the file system read and write a whole block.")
        case .freelist:
            .init(
                "a large part of the file is free pages, or their list is broken",
                why: "They are reused, but until then they fill the disk, backups and copies.")
        case .autoVacuum:
            .init(
                "auto_vacuum is incremental and incremental_vacuum is not run",
                why: "Pointer maps cost a page in every few hundred and slow writes down for nothing.")
        case .objectSize:
            .init(
                "indexes take most of the file; a note names the largest tables and indexes",
                why: "Each write pays for every index of its table, and the cache holds them instead of rows."
            )
        case .viewBroken:
            .init(
                "a view or trigger does not compile",
                why:
                    "SQLite reports it only when the view or trigger is used; a write to the trigger's table then fails."
            )
        case .tableUnreadable:
            .init(
                "a table cannot be read in all its columns, or takes no row",
                why:
                    "A generated column is computed when it is read: one row that it fails on makes every SELECT * fail."
            )
        case .duplicateIndex:
            .init(
                "an index holds what another one holds, or the beginning of it",
                why: "It costs space and time on every write and serves no query that the other does not.")
        case .foreignKeyIndex:
            .init(
                "a foreign key has no index in the table that has it",
                why:
                    "Each DELETE and each change of a key in the parent reads the whole table (https://www.sqlite.org/foreignkeys.html#fk_indexes)."
            )
        case .primaryKey:
            .init(
                "a table has no primary key",
                why: "Its rowids may change when it is vacuumed, and nothing else tells its rows apart.")
        case .rowidHeadroom:
            .init(
                "a table's ids come near the largest that there is",
                why: "With AUTOINCREMENT every INSERT then fails; without, ids are picked at random.")
        case .integrity:
            .init(
                "quick_check, or with --deep integrity_check, finds something",
                why: "Queries give wrong answers or fail, and what is damaged spreads with every write.")
        case .foreignKey:
            .init(
                "rows reference a parent that does not exist, or a parent's columns are not unique",
                why: "With foreign keys on, later changes to these rows fail.")
        case .searchIndex:
            .init(
                "an FTS3, FTS4 or FTS5 index does not agree with its content, or the module's own tables with each other",
                why: "Searches miss rows or find what is no longer there; integrity_check does not see it.")
        case .spatialIndex:
            .init(
                "an R-Tree's nodes do not agree with each other",
                why: "Searches by place miss rows; before 3.44 integrity_check does not see it.")
        case .statistics:
            .init(
                "ANALYZE was never run, or the tables have grown out of what it found",
                why:
                    "The query planner guesses, and picks the wrong index (https://www.sqlite.org/lang_analyze.html)."
            )
        case .fragmentation:
            .init(
                "a scan in key order has to jump about in the file",
                why: "On a disk that seeks, and with a cold cache on any, scans and backups take longer.")
        case .textEncoding:
            .init(
                "a text is not valid UTF-8 or UTF-16",
                why: "Programs replace or refuse such text, and some crash.")
        case .columnType:
            .init(
                "a column holds values of another type than it declares",
                why:
                    "SQLite keeps what it cannot convert (https://www.sqlite.org/datatype3.html); programs do not expect it."
            )
        default: nil
        }
    }
}
