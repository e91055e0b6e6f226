import DatabaseEngine
import OverlayVFS
import SQLiteFile

/// What a snapshot's first bytes show before SQLite opens it.
package enum SnapshotFile {
    /// Whether a path is that of a file which SQLite keeps beside a database.
    package static func isSidecar(_ path: String) -> Bool { Sidecar.isSidecar(path) }

    /// Returns the path of the database beside which SQLite would keep a file of this name; nil for another name.
    package static func database(ofSidecar path: String) -> String? {
        Sidecar.all.first { path.hasSuffix($0) }.map { String(path.dropLast($0.count)) }
    }

    /// Returns the path of a database and of all files that SQLite may keep beside it.
    package static func family(of path: String) -> [String] { Sidecar.family.map { path + $0 } }

    private static let magic = Array("SQLite format 3\u{0}".utf8)
    private static let lfsPointer = Array("version https://git-lfs.github.com/spec/".utf8)

    package static func beginsLikeDatabase(_ path: String) -> Bool {
        (try? FolderListing.contents(of: path, limit: magic.count)) == magic
    }

    package static func isPointer(_ path: String) -> Bool {
        (try? FolderListing.contents(of: path, limit: lfsPointer.count)) == lfsPointer
    }

    /// Why a file cannot be an SQLite database.
    package struct Fault {
        /// The file, or its content, as the message names it.
        package var name: String
        package var fact: String
        /// What to do.
        package var help: String
        /// Whether the system does not let the file be read, which says nothing about its content.
        package var isRefusal = false

        init(_ name: String, _ fact: String, _ help: String) {
            (self.name, self.fact, self.help) = (name, fact, help)
        }

        package var message: String { "\(name) \(fact)" }
    }

    /// Returns why a file cannot be an SQLite database, with what to do; nil if it may be one.
    package static func fault(of path: String) -> Fault? {
        guard let fault = faultOfFile(path) else { return nil }
        return logHasHeader(path) ? nil : fault
    }

    /// Returns why the decompressed content of a file cannot be an SQLite database; nil if it may be one.
    package static func fault(of content: MappedFile, named path: String) -> Fault? {
        let count = min(content.size, headCount)
        let head = (try? content.withBytes(at: 0, count: count) { Array($0) }) ?? []
        return fault(
            of: head, size: content.size, named: "the content of \(path)", claims: nil, contentHelp)
    }

    private static let contentHelp =
        "Compress a SQLite file, or an SQL dump whose name ends with .sql before it gets the ending of the compressed "
        + "file."

    /// Returns whether the file is a database only together with its log.
    package static func hasHeaderInLogAlone(_ path: String) -> Bool {
        faultOfFile(path) != nil && logHasHeader(path)
    }

    /// Returns whether the log has the header: SQLite reads it from the write-ahead log if that has page 1, unless
    /// the file is empty.
    private static func logHasHeader(_ path: String) -> Bool {
        guard let size = try? FolderListing.size(of: path), size > 0, !FolderListing.isSpecial(path),
            let log = try? MappedFile(path: realPath(of: path) + Sidecar.log),
            let bytes = log.contiguousBytes(at: 0, count: log.size)
        else { return false }
        let hasHeader = (try? WriteAheadLog(bytes))?.has(1) ?? false
        return withExtendedLifetime(log) { hasHeader && !log.isBroken }
    }

    private static func faultOfFile(_ path: String) -> Fault? {
        if ByteName.isIn(path) {
            return Fault(
                path, "cannot be opened: its name is not valid UTF-8 (\\x begins a byte)",
                "Rename it; nothing was done with it.")
        }
        if FolderListing.isSpecial(path) {
            return Fault(path, "is not a regular file", "A snapshot is a SQLite file or an SQL dump.")
        }
        let head: [UInt8]
        let size: Int
        do {
            head = try FolderListing.contents(of: path, limit: headCount)
            size = try FolderListing.size(of: path)
        } catch {
            var fault = Fault(
                path, "cannot be read: \(error)", "A snapshot is a readable SQLite file or SQL dump.")
            fault.isRefusal = true
            return fault
        }
        return fault(
            of: head, size: size, named: path, claims: Compression(named: path),
            "Its first 16 bytes are not 'SQLite format 3'. Remove or replace it.")
    }

    /// How many of the first bytes are looked at.
    private static let headCount = 1024

    /// - Parameters:
    ///   - path: the file, as the message names it.
    ///   - claimed: what the file is compressed with by its name.
    ///   - otherHelp: what to do about a file that is something else.
    private static func fault(
        of head: [UInt8], size: Int, named path: String, claims claimed: Compression?, _ otherHelp: String
    ) -> Fault? {
        if head.isEmpty {
            return Fault(
                path, "is empty: it has no bytes",
                "A failed copy looks like this. An empty database is not needed: a fresh install is replayed anyway."
            )
        }
        if head.starts(with: lfsPointer) {
            return Fault(
                path, "is a Git LFS pointer, not the database itself",
                "Fetch it: git lfs pull --include '\(path)'"
            )
        }
        guard head.starts(with: magic) else {
            if Compression(head: head) == nil, isRandom(head) {
                return Fault(
                    path, "is not a SQLite database; its bytes look encrypted",
                    "Keep a snapshot that is decrypted: SQLCipher's sqlcipher_export() makes one."
                )
            }
            return Fault(path, "is not a SQLite database\(otherKind(head, claimed))", otherHelp)
        }
        guard head.count >= 100 else {
            return Fault(path, "is truncated: \(size) bytes are less than a database header", truncationHelp)
        }
        let pageSize = Int(head[16]) << 8 | Int(head[17])
        let bytesPerPage = pageSize == 1 ? 65536 : pageSize
        guard bytesPerPage >= 512, bytesPerPage & (bytesPerPage - 1) == 0 else {
            return Fault(path, "is damaged: its header gives a page size of \(bytesPerPage)", truncationHelp)
        }
        // The page count is valid if the change counter has not changed since the count was written
        // (https://www.sqlite.org/fileformat2.html#in_header_database_size).
        let pages = bigEndian(head, 28)
        let isWAL = head[18] == 2
        if !isWAL, bigEndian(head, 24) == bigEndian(head, 92), pages * bytesPerPage > size {
            return Fault(
                path,
                "is truncated: its header counts \(pages) pages of \(bytesPerPage) bytes, "
                    + "the file has \(size) bytes", truncationHelp
            )
        }
        return nil
    }

    /// Returns what else a file is, as far as its first bytes show it, or that it is not what its name claims.
    private static func otherKind(_ head: [UInt8], _ claimed: Compression?) -> String {
        if let compression = Compression(head: head) { return ": it is compressed with \(compression.title)" }
        // https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06
        if head.count > 262, head[257..<262].elementsEqual("ustar".utf8) { return ": it is a tar archive" }
        return claimed.map { ", and not compressed with \($0.title) as its name says" } ?? ""
    }

    private static let truncationHelp =
        "Copy the snapshot again; SQLite's backup or VACUUM INTO copies a database whole."

    private static func bigEndian(_ bytes: [UInt8], _ offset: Int) -> Int {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns whether bytes look encrypted: nearly every value occurs, none often.
    private static func isRandom(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 512 else { return false }
        var counts = [Int](repeating: 0, count: 256)
        for byte in bytes { counts[Int(byte)] += 1 }
        let mean = bytes.count / 256
        return (counts.max() ?? 0) < mean * 5 + 6 && counts.count { $0 > 0 } > 180
    }
}
