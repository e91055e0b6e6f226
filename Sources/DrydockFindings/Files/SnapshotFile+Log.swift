import OverlayVFS
import SQLiteFile

extension SnapshotFile {
    /// Returns, in words, what SQLite does not read of the write-ahead log beside a database that nobody writes; nil if
    /// it reads everything, or there is no log.
    package static func logDamage(beside path: String) -> String? {
        guard let log = try? MappedFile(path: FolderListing.realPath(path) + "-wal"),
            let bytes = log.contiguousBytes(at: 0, count: log.size)
        else { return nil }
        return withExtendedLifetime(log) {
            let damage = LogDamage(bytes)
            return log.isBroken ? nil : damage?.text
        }
    }
}
