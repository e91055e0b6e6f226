import DrydockFiles
import OverlayVFS

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Compares two database files by their bytes only.
enum FileEquality {
    /// In bytes; small enough that the comparison ends soon after the first difference.
    private static let chunk = 4 << 20

    /// - Returns: False if the files differ, or if bytes cannot decide because one has a journal or write-ahead log.
    static func areSame(_ old: SchemaSource, _ new: SchemaSource) async -> Bool {
        guard case .database = old.kind, case .database = new.kind,
            SnapshotFile.fault(of: old.path) == nil, SnapshotFile.fault(of: new.path) == nil
        else { return false }
        for path in [old.path, new.path] {
            for suffix in [Sidecar.log, Sidecar.journal] where hasBytes(path + suffix) { return false }
        }
        guard let size = try? FolderListing.size(of: old.path),
            size == (try? FolderListing.size(of: new.path))
        else { return false }
        if isSameInode(old.path, new.path) { return true }
        guard let left = try? MappedFile(path: old.path), let right = try? MappedFile(path: new.path),
            left.size == size, right.size == size
        else { return false }
        let half = (size / 2 / chunk) * chunk
        async let first = isEqual(left, right, 0..<half)
        async let second = isEqual(left, right, half..<size)
        guard await first, await second else { return false }
        return (try? left.checkUnchanged()) != nil && (try? right.checkUnchanged()) != nil
    }

    private static func isEqual(_ left: MappedFile, _ right: MappedFile, _ range: Range<Int>) async -> Bool {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: chunk) {
            let count = min(chunk, range.upperBound - start)
            guard let a = left.contiguousBytes(at: start, count: count)?.baseAddress,
                let b = right.contiguousBytes(at: start, count: count)?.baseAddress
            else { return false }
            guard memcmp(a, b, count) == 0 else { return false }
        }
        return true
    }

    private static func hasBytes(_ path: String) -> Bool { ((try? FolderListing.size(of: path)) ?? 0) > 0 }

    private static func isSameInode(_ old: String, _ new: String) -> Bool {
        var (a, b) = (stat(), stat())
        guard stat(old, &a) == 0, stat(new, &b) == 0 else { return false }
        return a.st_dev == b.st_dev && a.st_ino == b.st_ino
    }
}
