import DrydockFindings
import DatabaseEngine
import OverlayVFS
import SQLiteFile
import SQLiteSchema

/// A database between two steps: its bytes, its schema and its faults.
package struct DatabaseState: Sendable {
    package var image: Image
    package var catalog: Catalog
    /// What other databases with this schema share; nil where the catalog is not the whole of it.
    package var facts: SchemaFacts?
    /// The image, where connections are shared.
    var laidOut: LaidOutImage?
    /// The state as read from its pages; nil where only SQLite can read them.
    package var pages: StatePages?
    /// The changes of the step that led to this state; nil where they are not known.
    package var changes: PageChanges?
    package var faults: [Fault] = []
    package var notChecked: [NotChecked] = []
    /// The highest id that each rowid table ever assigned, by folded name: the larger of its AUTOINCREMENT mark and its
    /// highest rowid (https://www.sqlite.org/autoinc.html). Empty where no table is AUTOINCREMENT.
    package var highestIDs: [String: Int64] = [:]
    /// The number of entries of each full-text index that stores its own text and once read another table, by folded
    /// name.
    package var searchEntries: [String: Int] = [:]

    /// Returns the count of each fault by identity, under the new names of renamed tables.
    package func faultCounts(renaming names: [String: String] = [:]) -> [Fault.ID: Int] {
        Dictionary(faults.map { ($0.id.renaming(names), $0.count) }, uniquingKeysWith: +)
    }
}

/// Something wrong with a state, whatever caused it.
///
/// The faults of the snapshot itself are its baseline; a step is responsible for those that it adds.
package struct Fault: Sendable, Codable {
    /// The identity of a fault: the same from state to state, except where tables are renamed.
    package struct ID: Hashable, Sendable, Codable {
        package var rule: Rule
        package var kind = ""
        /// The names of the objects with the fault, folded.
        package var names: [String]
        /// The column of the first object that has the fault, folded.
        package var column: String?

        package init(rule: Rule, kind: String = "", names: [String], column: String? = nil) {
            self.rule = rule
            self.kind = kind
            self.names = names
            self.column = column
        }

        package func renaming(_ names: [String: String]) -> ID {
            ID(rule: rule, kind: kind, names: self.names.map { names[$0] ?? $0 }, column: column)
        }

        /// - Parameter columns: the renamed columns, by the folded name of their table before it was renamed.
        package func renaming(columns: [String: [String: String]]) -> ID {
            guard let column, let table = names.first, let name = columns[table]?[column] else { return self }
            var id = self
            id.column = name
            return id
        }
    }

    package var id: ID
    /// The extent of the fault, so that an increase is noticed.
    package var count = 1
    package var sentence: Sentence
    package var help: String
    package var table: String?
    package var column: String?
    package var evidence: Evidence?

    private enum CodingKeys: String, CodingKey {
        case id, count, sentence = "message", help, table, column, evidence
    }
}

/// A state as rules see it: through a separate connection to a separate overlay, to which they may write.
package struct StateView {
    package let connection: any Connection
    package let catalog: Catalog
    /// The state before, where the changes since are known.
    var earlier: DatabaseState?
    var changes: PageChanges?
    /// Returns the present name of a table of the state before; nil if it is gone or not known.
    var renamed: (String) -> String?
    /// What other databases with this schema share; nil where the catalog is not the whole of it.
    let facts: SchemaFacts?
    /// The pages of a large file that need no SQLite to be read.
    package var proved: ProvedPages?
    /// The folded names of the tables for which ``isAsBefore(_:)`` holds.
    private let unchanged: Set<String>

    package init(
        connection: any Connection, catalog: Catalog, earlier: DatabaseState? = nil,
        changes: PageChanges? = nil, facts: SchemaFacts? = nil,
        renamed: @escaping (String) -> String? = { _ in nil }
    ) {
        self.facts = facts
        self.connection = connection
        self.catalog = catalog
        self.earlier = earlier
        self.changes = changes
        self.renamed = renamed
        guard let earlier, let changes else {
            unchanged = []
            return
        }
        unchanged = Set(
            catalog.tableNames.filter { name in
                guard let table = catalog.table(name), let old = earlier.catalog.table(name),
                    changes.isWhollyUntouched(table: name, now: name)
                else { return false }
                return table.demandsNoMore(than: old)
            })
    }

    /// Whether the state before answers a rule about a table: its rows and indexes are unchanged, and its definition
    /// demands no more of them.
    func isAsBefore(_ table: Catalog.Table) -> Bool { unchanged.contains(table.name.foldedASCII) }

    /// Whether every key of a table can still be referenced by foreign keys.
    /// - Parameter column: a column of the key; nil for the primary key.
    func keepsKeys(of parent: Catalog.Table, referencedBy column: String?) -> Bool {
        guard parent.kind == .ordinary, let changes, let old = earlier?.catalog.table(parent.name),
            parent.demandsNoMore(than: old), let layout = RecordLayout(parent)
        else { return false }
        let names = column.map { [$0] } ?? parent.primaryKey.map(\.name)
        let isRowid = names.count == 1 && layout.column(names[0])?.source == .rowid
        return isRowid ? changes.keepsRowids(of: parent.name) : changes.areIndexesUntouched(of: parent.name)
    }

    /// Returns the faults that a rule found in the state before.
    func earlierFaults(_ rule: Rule, of table: Catalog.Table) -> [Fault] {
        earlier?.faults.filter { $0.id.rule == rule && $0.id.names.first == table.name.foldedASCII } ?? []
    }
}

/// Opens states on forks that never affect one another.
package struct StateInspector: Sendable {
    /// The name under which a later state is attached to a connection.
    package static let laterSchema = "after"

    package let engine: any Engine
    package var settings: ConnectionSettings { didSet { connections = nil } }
    package var historyTables: [String]
    /// The limit for written pages and SQLite's sorting, in bytes.
    package var memoryLimit = Overlay.defaultMemoryLimit { didSet { connections = nil } }

    /// From which size of the file on threads are worth it.
    private static let leastPages = 1000

    /// The only rules that are checked; all where nil.
    package var rules: Set<Rule>?
    /// What all states of a run share.
    package var schemas = SchemaCache()
    /// Connections with these settings that go on from state to state; nil where each state gets its own.
    package var connections: ConnectionPool?

    package init(
        engine: any Engine, settings: ConnectionSettings, historyTables: [String],
        memoryLimit: Int = Overlay.defaultMemoryLimit
    ) {
        self.engine = engine
        self.settings = settings
        self.historyTables = historyTables
        self.memoryLimit = memoryLimit
    }

    /// Sets what interrupts statements, in place of what the settings say. The connections of a run take it with each use.
    package mutating func interrupt(by interrupt: (@Sendable () -> Bool)?) {
        let known = connections
        settings.interrupt = interrupt
        connections = known
    }

    /// Reads the schema and checks every state rule.
    ///
    /// - Parameters:
    ///   - footprint: the pages that differ from the earlier state.
    ///   - baseline: what is already known of these bytes.
    ///   - renamed: returns the present name of a table of the earlier state; nil if it is gone or not known.
    package func inspect(
        _ image: Image, earlier: DatabaseState?, footprint: Footprint? = nil, baseline: Baseline? = nil,
        renamed: @escaping @Sendable (String) -> String? = { $0 }
    ) async throws -> DatabaseState {
        try await inspect(image, earlier: earlier, baseline: baseline, renamed: renamed) { _, _ in
            // What cannot be read from the pages is read through SQLite.
            if !PageReading.isOn { return (nil, nil, ()) }
            if let footprint, let pages = earlier?.pages {
                let next = try? pages.next(image, footprint)
                return (next?.0, next?.1, ())
            }
            return (earlier == nil ? try? StatePages(image, parents: baseline?.parents) : nil, nil, ())
        }.state
    }

    /// Reads a database of which nothing is known, with its integrity; each page of a large one is read once.
    /// - Parameter hashing: what is hashed in the same pass.
    package func inspectWhole(
        _ image: Image, hashing: ContentHashing? = nil
    ) async throws -> (state: DatabaseState, integrity: IntegrityCheck) {
        try await inspect(image) { connection, catalog in
            // Pages that cannot be read are for SQLite to describe.
            let file = try? DatabaseFile(ImagePages(image))
            let (check, parents) = try IntegrityCheck.whole(
                connection, catalog: catalog, file: file, hashing: hashing)
            return (PageReading.isOn ? try? StatePages(image, parents: parents) : nil, nil, check)
        }
    }

    /// - Parameter read: reads the pages, and whatever else is to be found on the way.
    private func inspect<Found: Sendable>(
        _ image: Image, earlier: DatabaseState? = nil, baseline: Baseline? = nil,
        renamed: @escaping @Sendable (String) -> String? = { $0 },
        _ read: @escaping @Sendable (any Connection, Catalog) throws -> (StatePages?, PageChanges?, Found)
    ) async throws -> (state: DatabaseState, Found) {
        let (historyTables, rules, schemas) = (historyTables, rules, schemas)
        let laidOut = connections == nil ? nil : LaidOutImage(image)
        return try await withSharedConnection(to: image, laidOut) { connection, memo in
            let reading = try schemas.read(
                connection, historyTables: historyTables, earlier: earlier?.catalog, memo: memo)
            let catalog = reading.catalog
            var state = DatabaseState(image: image, catalog: catalog, facts: reading.facts)
            state.laidOut = laidOut
            let found: Found
            (state.pages, state.changes, found) = try read(connection, catalog)
            if catalog.hasSequences || earlier?.catalog.hasSequences == true {
                state.highestIDs = try catalog.highestIDs(connection)
            }
            state.notChecked = reading.unreadable.map { table in
                NotChecked(.rowsLost, .unreadableTable(table.name, message: table.error.message))
            }
            var view = StateView(
                connection: connection, catalog: catalog, earlier: state.changes == nil ? nil : earlier,
                changes: state.changes, facts: reading.facts,
                renamed: { earlier == nil ? nil : renamed($0) })
            if let pages = state.pages, pages.file.pageCount >= Self.leastPages {
                view.proved = ProvedPages(pages.file) { pages.trees[$0.foldedASCII]?.root }
            }
            for rule in StateRules.all
            where rules?.contains(rule.rule) ?? true
                && (baseline == nil || !Baseline.rules.contains(rule.rule))
            {
                do {
                    state.faults += try rule.faults(in: view)
                    state.notChecked += rule.notChecked(in: view).map { NotChecked(rule.rule, $0) }
                } catch let error as EngineError where !error.isInterrupt {
                    state.notChecked.append(
                        NotChecked(
                            rule.rule,
                            error.isOverLimit ? .overLimit(error.message) : .refused(error.message)))
                }
            }
            if let baseline {
                state.faults += baseline.faults
                state.notChecked += baseline.notChecked
            }
            return (state, found)
        }
    }

    /// Returns the schema of a state, without the tables that cannot be read.
    package func catalog(of image: Image) async throws -> Catalog {
        let historyTables = historyTables
        return try await withConnection(to: image) {
            try Catalog($0, without: historyTables, earlier: nil)
        }
    }

    /// Runs a closure as ``withConnection(to:attaching:_:)`` does, on a connection that may go on from another state of the
    /// same schema and to another: for statements to which only the rows and the schema matter.
    package func withSharedConnection<Result: Sendable>(
        to state: DatabaseState, attaching later: DatabaseState? = nil,
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await withSharedConnection(
            to: state.image, state.laidOut, attaching: later?.image, later?.laidOut
        ) { connection, _ in try body(connection) }
    }

    /// - Parameter body: also gets what all databases with the same schema share; nil where the connection is for this state
    ///   only.
    private func withSharedConnection<Result: Sendable>(
        to image: Image, _ laidOut: LaidOutImage?, attaching later: Image? = nil,
        _ laidOutLater: LaidOutImage? = nil,
        _ body: @escaping @Sendable (any Connection, Memo?) throws -> Result
    ) async throws -> Result {
        guard let connections,
            let lease = try await connections.sharedLease(
                laidOut ?? LaidOutImage(image),
                attaching: later.map { laidOutLater ?? LaidOutImage($0) },
                as: StateInspector.laterSchema, interrupt: settings.interrupt ?? { false })
        else { return try await withConnection(to: image, attaching: later) { try body($0, nil) } }
        let result: Result
        do {
            result = try await lease.database.withConnection { try body($0, lease.schemaMemo) }
        } catch {
            try? await connections.giveBack(lease, isSound: false)
            throw error
        }
        try await connections.giveBack(lease)
        return result
    }

    /// Runs a closure on a connection to a fork of an image, with foreign keys off.
    package func withConnection<Result: Sendable>(
        to image: Image, attaching later: Image? = nil,
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        let overlay = try Overlay(image, memoryLimit: memoryLimit)
        var settings = settings
        settings.foreignKeys = false
        settings.isDefensive = true
        settings.followsStatements = false
        return try await engine.use(overlay, settings: settings) { database in
            let attached = later.map { overlay.attach($0) }
            return try await database.withConnection { connection in
                if let attached {
                    try connection.execute("ATTACH \(quotedText(attached)) AS \(StateInspector.laterSchema)")
                }
                return try body(connection)
            }
        }
    }
}

extension Catalog {
    fileprivate func highestIDs(_ connection: any Connection) throws -> [String: Int64] {
        var result: [String: Int64] = [:]
        for (name, table) in tables where table.kind == .ordinary {
            guard let rowid = table.rowidName else { continue }
            result[name] = try connection.firstRow("SELECT max(\(rowid)) FROM main.\(quotedName(table.name))")
            {
                $0.integer(0)
            }
        }
        guard hasSequences else { return result }
        try connection.forEachRow("SELECT name, seq FROM main.sqlite_sequence") { row in
            let name = row.string(0).foldedASCII
            guard tables[name]?.isAutoincrement == true else { return }
            result[name] = max(result[name] ?? 0, row.integer(1))
        }
        return result
    }
}
