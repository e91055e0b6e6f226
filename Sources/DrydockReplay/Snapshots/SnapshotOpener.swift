import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS
import SQLiteSchema

/// Opens an overlay over a snapshot, so that it can be replayed and is never written.
package struct SnapshotOpener: Sendable {
    package let engine: any Engine
    package let settings: ConnectionSettings
    /// Whether a dump may have no statement: as a snapshot it would prove nothing, as a schema it is empty.
    package var allowsEmptyDumps = false

    package init(engine: any Engine, settings: ConnectionSettings, allowsEmptyDumps: Bool = false) {
        self.engine = engine
        self.settings = settings
        self.allowsEmptyDumps = allowsEmptyDumps
    }

    /// Returns an overlay with the snapshot's content, including a write-ahead log or hot journal beside it.
    /// - Throws: ``SnapshotFault``.
    package func open(_ snapshot: Snapshot) async throws -> Overlay {
        switch snapshot.kind {
        case .database: try await openDatabase(snapshot)
        case .dump: try await openDump(snapshot)
        }
    }

    /// Returns the facts that show which tool's history a snapshot has.
    package func facts(of snapshot: Snapshot) async throws -> HistoryFacts {
        let overlay = try await open(snapshot)
        return try await engine.use(overlay, settings: settings) { database in
            try await database.withConnection { try HistoryFacts($0) }
        }
    }

    private func openDatabase(_ snapshot: Snapshot) async throws -> Overlay {
        if let file = CompressedFile(snapshot.file) { return try open(snapshot, file) }
        if let fault = SnapshotFile.fault(of: snapshot.file) {
            throw SnapshotFault(fault)
        }
        do {
            return try Overlay(snapshot: snapshot.file)
        } catch {
            throw SnapshotFault(Sentence(error.description), help: "")
        }
    }

    /// Opens a compressed database. A log beside it is none of its own.
    private func open(_ snapshot: Snapshot, _ file: CompressedFile) throws -> Overlay {
        do {
            let content = try file.content(isStopped: settings.interrupt ?? { Task.isCancelled })
            if let fault = SnapshotFile.fault(of: content, named: snapshot.path) {
                throw SnapshotFault(fault)
            }
            return try Overlay(snapshot: snapshot.file, content: content)
        } catch let fault as CompressionFault {
            throw SnapshotFault(fault)
        } catch let error as OverlayError {
            throw SnapshotFault(Sentence(error.description), help: "")
        }
    }

    /// Returns a fault for bytes of a file that SQLite would not read as the text that they represent.
    private static func unreadable(_ source: SQLSource) -> SnapshotFault? {
        let (path, bytes) = (source.name, source.bytes)
        func fault(_ offset: Int, _ fact: String, _ help: String) -> SnapshotFault {
            let line = source.location(at: offset).line
            var place = Finding.Place(file: path)
            place.line = line
            var fault = SnapshotFault("\(path):\(line) \(fact)", help: help, place: place)
            fault.fact = "line \(line) \(fact)"
            return fault
        }
        let alternative = "or keep the content as a database file: a dump cannot hold it faithfully."
        if let offset = firstInvalidUTF8(in: bytes) {
            return fault(
                offset, "is not UTF-8: byte 0x\(String(bytes[offset], radix: 16))",
                "Save the file as UTF-8, \(alternative)")
        }
        return bytes.firstIndex(of: 0).map { offset in
            fault(
                offset, "holds a NUL character, where SQLite stops reading",
                "Remove it and write such a value as char(0) or as a blob X'00', \(alternative)")
        }
    }

    /// Runs a dump on an empty database, statement by statement, so that a fault has its line.
    private func openDump(_ snapshot: Snapshot) async throws -> Overlay {
        let bytes: [UInt8]
        do {
            bytes = try CompressedFile.bytes(
                of: snapshot.path, isStopped: settings.interrupt ?? { Task.isCancelled })
        } catch let fault as CompressionFault {
            throw SnapshotFault(fault)
        } catch let error as FileFault {
            throw SnapshotFault(snapshot.path, "cannot be read: \(error)", help: "")
        }
        let source = SQLSource(name: snapshot.path, bytes: bytes)
        if let fault = Self.unreadable(source) { throw fault }
        let statements = source.statements()
        guard !statements.isEmpty || allowsEmptyDumps else {
            throw SnapshotFault(
                snapshot.path, "holds no SQL statement",
                help: "Make a dump with: sqlite3 DATABASE .dump > \(snapshot.path)")
        }
        let overlay = try Overlay(emptyNamed: "dump.sqlite")
        var settings = settings
        settings.foreignKeys = false
        settings.doubleQuotedStrings = true
        try await engine.use(overlay, settings: settings) { database in
            try await database.withConnection { connection in
                for statement in statements {
                    do {
                        try Sandbox.run(statement, on: connection)
                    } catch let error as EngineError where !error.isInterrupt {
                        var place = Finding.Place(statement, offset: error.offset)
                        place.quotesData = true
                        throw SnapshotFault(
                            snapshot.path, "does not run: \(error.sentence)",
                            help: "A dump is SQL that creates the database from nothing.", place: place)
                    }
                }
                if connection.isInTransaction { try connection.execute("COMMIT") }
            }
        }
        return overlay
    }
}

/// Why a snapshot cannot be read.
package struct SnapshotFault: Error {
    package var sentence: Sentence
    /// What the message says of the file that it names; nil if it does not begin with its name.
    package var fact: String?
    package var help: String
    package var place: Finding.Place?

    package init(_ sentence: Sentence, help: String, place: Finding.Place? = nil) {
        (self.sentence, self.help, self.place) = (sentence, help, place)
    }

    /// Creates a fault whose message is a path and a fact about it.
    package init(
        _ path: String, _ fact: Sentence, help: String, place: Finding.Place? = nil
    ) {
        self.init("\(path) \(fact)", help: help, place: place)
        self.fact = fact.text
    }

    package init(_ fault: SnapshotFile.Fault) {
        self.init(fault.name, Sentence(fault.fact), help: fault.help)
    }

    package init(_ fault: CompressionFault) { self.init(fault.path, Sentence(fault.fact), help: fault.help) }
}
