import Drydock

/// What `drydock snapshot list` and `check` show, in the JSON contract.
package struct JSONSnapshots: Encodable {
    struct Entry: Encodable {
        var path: String
        var version, library: String?
        var isKnownVersion, isSound: Bool
        var rows, bytes: Int
        /// `no`, `unchanged` or `changed`.
        var locked: String
        var fault: String?
        /// What is already wrong with it.
        var known: [String]
        var origin: Origin?
        /// Whether it is not the file of which the lock says where it comes from.
        var isReplaced: Bool
    }

    struct Origin: Encodable {
        /// `taken` or `generated`.
        var way: String
        var source, version: String?
        var library, date: String
        var rows, seed: Int
        var masked: [String]

        init(_ origin: LockedOrigin) {
            (way, source, version) = (origin.way.rawValue, origin.source, origin.version)
            (library, date) = (origin.library, origin.date)
            (rows, seed, masked) = (origin.rows, origin.seed, origin.masked)
        }
    }

    var snapshots: [Entry]
    var versionsWithout, missing: [String]
    var migrationFormat: String

    /// Returns the document.
    /// - Parameter isCheck: Whether what is wrong is a failure, and not only shown.
    package static func text(_ list: SnapshotList, isCheck: Bool) -> String {
        let entries = list.entries.map { entry in
            Entry(
                path: entry.path, version: entry.version, library: entry.library,
                isKnownVersion: entry.isKnownVersion, isSound: entry.isSound, rows: entry.rows,
                bytes: entry.bytes, locked: entry.locked.rawValue, fault: entry.fault, known: entry.known,
                origin: entry.origin.map(Origin.init), isReplaced: entry.isReplaced)
        }
        let body = JSONSnapshots(
            snapshots: entries, versionsWithout: list.versionsWithout, missing: list.missing,
            migrationFormat: list.migrationFormat)
        return jsonText(
            JSONEnvelope(
                command: isCheck ? "snapshot check" : "snapshot list", hasFailed: isCheck && !list.isSound,
                body))
    }
}

/// What `drydock snapshot new` made, in the JSON contract.
package struct JSONGenerated: Encodable {
    struct Empty: Encodable {
        var table, reason: String
    }

    var output, version: String
    var bytes, rows: Int
    var seed: UInt64
    var tables: [String: Int]
    var empty: [Empty]
    var notes: [String]
    var seconds: Double

    /// Returns the document.
    package static func text(_ snapshot: GeneratedSnapshot) -> String {
        let body = JSONGenerated(
            output: snapshot.output, version: snapshot.version, bytes: snapshot.bytes,
            rows: snapshot.rowCount,
            seed: snapshot.seed, tables: snapshot.rows,
            empty: snapshot.empty.map { Empty(table: $0.table, reason: $0.reason) }, notes: snapshot.notes,
            seconds: rounded(snapshot.seconds))
        return jsonText(JSONEnvelope(command: "snapshot new", body))
    }
}
