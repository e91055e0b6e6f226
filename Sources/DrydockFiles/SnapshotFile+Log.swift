import OverlayVFS
import SQLiteFile

extension SnapshotFile {
    /// Returns, in words, what SQLite does not read of the write-ahead log beside a database that nobody writes; nil if
    /// it reads everything, or there is no log.
    package static func logDamage(beside path: String) -> String? {
        let name = FolderListing.realPath(path) + Sidecar.log
        guard let log = try? MappedFile(path: name) else {
            // A link to a file that is not there is how an incomplete copy may look.
            return FolderListing.isEntry(name)
                ? "the write-ahead log exists but cannot be read" : nil
        }
        guard let bytes = log.contiguousBytes(at: 0, count: log.size) else { return nil }
        return withExtendedLifetime(log) {
            let damage = LogDamage(bytes)
            return log.isBroken ? nil : damage?.text
        }
    }
}
