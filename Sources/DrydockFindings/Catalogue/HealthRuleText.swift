/// The words of a rule of `drydock health`: what is wrong with a database, and why that matters.
public struct HealthRuleText: Sendable {
    /// What is wrong, in one line.
    public var summary: String
    public var why: String

    fileprivate init(_ summary: String, why: String) { (self.summary, self.why) = (summary, why) }
}

extension Rule {
    /// The words of a rule of `drydock health`; nil for the other rules.
    public var healthText: HealthRuleText? {
        switch self {
        case .fileHeader:
            .init(
                "the file is not a database, is cut short, or is not what its header says",
                why: "SQLite refuses to open the file, or reads fewer pages than it holds.")
        case .journal:
            .init(
                "beside the file is a hot journal, or a write-ahead log that nobody has open or that SQLite reads only in part",
                why: "The file alone is not the database; a copy without the journal is damaged.")
        case .walSize:
            .init(
                "the write-ahead log is large",
                why: "Every read has to look through it, and it takes up disk space.")
        case .walCheckpoint:
            .init(
                "a long read transaction keeps a checkpoint from finishing",
                why: "Until that read ends, the log grows with every write.")
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
                why: "To write one page, the file system reads and writes a whole block.")
        case .freelist:
            .init(
                "a large part of the file is free pages, or their list is broken",
                why:
                    "They are reused, but until then they take up space on the disk, in backups and in copies."
            )
        case .autoVacuum:
            .init(
                "auto_vacuum is incremental and incremental_vacuum is not run",
                why: "Pointer maps take one page in every few hundred and slow down writes, to no benefit.")
        case .objectSize:
            .init(
                "indexes take most of the file; a note names the largest tables and indexes",
                why:
                    "Each write has to update every index of its table, and indexes take up cache that could hold rows."
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
                "an index repeats another one, or the beginning of it",
                why: "It costs space, and time on every write, and helps no query that the other does not.")
        case .foreignKeyWithoutIndex:
            .init(
                "the columns of a foreign key have no index",
                why:
                    "Each DELETE in the parent table, and each change of its key, reads the whole child table (https://www.sqlite.org/foreignkeys.html#fk_indexes)."
            )
        case .primaryKey:
            .init(
                "a table has no primary key",
                why: "Its rowids may change when it is vacuumed, and nothing else tells its rows apart.")
        case .rowidHeadroom:
            .init(
                "a table's ids are close to the largest possible id",
                why:
                    "With AUTOINCREMENT every INSERT fails once it is reached; without it, SQLite tries ids at random."
            )
        case .integrityFailure:
            .init(
                "quick_check, or integrity_check with --deep, finds a problem",
                why: "Queries fail or give wrong answers, and further writes can spread the damage.")
        case .foreignKeyViolation:
            .init(
                "rows reference a parent that does not exist, or a parent's columns are not unique",
                why: "With foreign keys on, later changes to these rows fail.")
        case .searchIndexStale:
            .init(
                "an FTS3, FTS4 or FTS5 index does not agree with its content, or the tables of its module disagree",
                why: "Searches miss rows or find what is no longer there; integrity_check does not see it.")
        case .spatialIndex:
            .init(
                "an R-Tree's nodes do not agree with each other",
                why: "Searches by place miss rows; before 3.44 integrity_check does not see it.")
        case .statistics:
            .init(
                "ANALYZE has never been run, or the tables have changed a lot since",
                why:
                    "The query planner has to guess, and may choose the wrong index (https://www.sqlite.org/lang_analyze.html)."
            )
        case .fragmentation:
            .init(
                "reading a table in key order means jumping back and forth in the file",
                why:
                    "Scans and backups take longer on a disk that has to seek, and on any disk while the cache is cold."
            )
        case .textEncoding:
            .init(
                "a text is not valid UTF-8 or UTF-16",
                why: "Programs replace or reject such text, and some crash.")
        case .columnType:
            .init(
                "values have another type than their column declares",
                why:
                    "SQLite keeps what it cannot convert (https://www.sqlite.org/datatype3.html); programs may not expect it."
            )
        default: nil
        }
    }
}
