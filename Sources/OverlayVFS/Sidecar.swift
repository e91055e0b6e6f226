/// The files that SQLite keeps beside a database, by the endings of their names.
package enum Sidecar {
    /// The write-ahead log.
    package static let log = "-wal"
    /// The index of the write-ahead log, which is rebuilt where it is missing.
    package static let sharedMemory = "-shm"
    /// The rollback journal.
    package static let journal = "-journal"

    package static let all = [log, sharedMemory, journal]
    /// The database itself and what can hold rows of it.
    package static let content = ["", log, journal]
    /// The database itself and everything beside it.
    package static let family = [""] + all

    /// Whether a path has such an ending.
    package static func isSidecar(_ path: String) -> Bool { all.contains { path.hasSuffix($0) } }
}
