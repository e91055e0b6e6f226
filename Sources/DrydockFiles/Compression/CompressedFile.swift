import DatabaseEngine
import Foundation
import OverlayVFS
import Synchronization

/// A snapshot's file that is compressed. Its content is decompressed into a temporary file without a name, which is
/// mapped: nothing is written beside the file.
package struct CompressedFile: Sendable {
    package let path: String
    private let compression: Compression

    /// - Returns: nil if the first bytes are not those of a compressed file.
    package init?(_ path: String) {
        guard let head = try? FolderListing.contents(of: path, limit: Compression.headCount),
            let compression = Compression(head: head)
        else { return nil }
        (self.path, self.compression) = (path, compression)
    }

    /// Whether a file of a folder of snapshots is one of them because it is compressed: it is named so, or it is, and
    /// not as a document that is an archive by itself.
    package static func isSnapshot(_ path: String) -> Bool {
        Compression(named: path) != nil || CompressedFile(path).map { !$0.compression.isContainer } ?? false
    }

    /// Returns the name that shows what a snapshot is: without the ending of a compressed file; that of the file in an
    /// archive.
    package static func contentName(of path: String) -> String {
        if Compression(named: path) == .zip, let name = try? CompressedFile(path)?.member().name {
            return name
        }
        return Compression.inner(of: path)
    }

    // MARK: - The limit

    private static let limit = Atomic(standardLimit)
    package static let standardLimit = 8 << 30

    /// Limits how large a file may become when it is decompressed, in the whole process.
    /// - Parameter bytes: nil for no limit.
    package static func limitSize(to bytes: Int?) {
        limit.store(bytes ?? .max, ordering: .relaxed)
    }

    /// The limit of this task; nil for that of the process. For tests.
    @TaskLocal static var ownLimit: Int?

    private var limit: Int { Self.ownLimit ?? Self.limit.load(ordering: .relaxed) }

    // MARK: - The content

    private struct Known {
        weak var file: MappedFile?
    }

    /// What is decompressed at this moment, so that no file is decompressed twice at the same time.
    private static let known = Mutex<[FileIdentity: Known]>([:])

    /// Returns the content.
    /// - Parameter isStopped: whether the run is to end.
    /// - Throws: ``CompressionFault``; ``EngineError`` if the run was stopped.
    package func content(isStopped: () -> Bool = { Task.isCancelled }) throws -> MappedFile {
        do {
            let identity = try FileIdentity(path: path)
            if let file = Self.known.withLock({ $0[identity]?.file }) { return file }
            let file = try MappedFile(decompressed(isStopped), named: path)
            guard try FileIdentity(path: path) == identity else { throw OverlayError.changed(path: path) }
            Self.known.withLock { known in
                known = known.filter { $0.value.file != nil }
                known[identity] = Known(file: file)
            }
            return file
        } catch OverlayError.spillFailed(let directory, let code) {
            throw CompressionFault(
                path, "cannot be decompressed into \(directory): \(FolderListing.describe(code))",
                help: OverlayError.remedy(spill: code))
        } catch let error as OverlayError {
            throw CompressionFault(
                path, "cannot be decompressed", help: error.description)
        } catch let error as FileFault {
            throw CompressionFault(
                path, "cannot be decompressed: \(error)",
                help: "Decompress it, and keep the result as a snapshot.")
        } catch let damage as ZipDirectory.Damage {
            throw CompressionFault(path, "cannot be decompressed: \(damage.fact)", help: Self.damageHelp)
        }
    }

    private static let damageHelp = "Copy it again, or compress the database again."

    private func decompressed(_ isStopped: () -> Bool) throws -> PrivateFile {
        let input = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard input >= 0 else { throw FileFault(FolderListing.describe(errno)) }
        defer { close(input) }
        switch compression {
        case .gzip: return try run(.gzip, compression.title, input, isStopped)
        case .zstd: return try run(.zstd, compression.title, input, isStopped)
        case .xz: return try run(.xz, compression.title, input, isStopped)
        case .zip: return try unzip(input, isStopped)
        }
    }

    private func run(
        _ tool: DecompressionTool, _ title: String, _ input: Int32, _ isStopped: () -> Bool
    ) throws -> PrivateFile {
        guard let program = tool.find() else {
            throw CompressionFault(
                path, "is compressed with \(title), and '\(tool.name)' is not installed",
                help: "Install \(tool.name), or decompress the file.")
        }
        let output = try PrivateFile()
        switch try tool.run(program, input: input, output: output, limit: limit, isStopped: isStopped) {
        case .done: return output
        case .failed(let message):
            throw CompressionFault(path, "cannot be decompressed: \(message)", help: Self.damageHelp)
        case .overLimit: throw overLimit
        }
    }

    private var overLimit: CompressionFault {
        let size =
            limit >= 1 << 30 ? "\(limit >> 30) GB" : limit >= 1 << 20 ? "\(limit >> 20) MB" : "\(limit) bytes"
        return CompressionFault(
            path, "becomes larger than \(size) when it is decompressed",
            help:
                "If it is meant to be so large, raise the limit: snapshotSize in drydock.yml, or --snapshot-size."
        )
    }

    // MARK: - ZIP archives

    /// Returns the only file of an archive.
    private func member() throws -> ZipDirectory.Member {
        let input = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard input >= 0 else { throw FileFault(FolderListing.describe(errno)) }
        defer { close(input) }
        let size = try FolderListing.size(of: path)
        return try member(ZipDirectory(size: size) { try Self.read(input, $0, $1) })
    }

    private func member(_ directory: ZipDirectory) throws -> ZipDirectory.Member {
        let names = directory.members.map(\.name)
        guard let member = directory.members.first, names.count == 1 else {
            throw CompressionFault(
                path,
                names.isEmpty
                    ? "holds no file"
                    : "holds \(names.count) files: \(names.prefix(3).joined(separator: ", "))"
                        + (names.count > 3 ? ", …" : ""),
                help: "A snapshot is an archive of one database, or of one .sql file.")
        }
        return member
    }

    private func unzip(_ input: Int32, _ isStopped: () -> Bool) throws -> PrivateFile {
        let size = try FolderListing.size(of: path)
        let read = { (offset: Int, count: Int) in try Self.read(input, offset, count) }
        let member = try member(ZipDirectory(size: size, read))
        guard !member.isEncrypted else {
            throw CompressionFault(
                path, "is encrypted",
                help: "Keep a snapshot that is not encrypted, in an archive without a password.")
        }
        guard member.size <= limit else { throw overLimit }
        let start = try ZipDirectory.content(of: member, size: size, read)
        let stream = try PrivateFile()
        let output: PrivateFile
        switch member.method {
        // gzip reads what both hold once it has a header and the checksum, which it then compares.
        case 0, 8:
            try stream.append([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
            try Self.copy(
                input, start, member.compressedSize, to: stream, asBlocks: member.method == 0, isStopped)
            let trailer = [member.checksum, UInt32(truncatingIfNeeded: member.size)]
            try stream.append(
                trailer.flatMap { number in withUnsafeBytes(of: number.littleEndian) { Array($0) } })
            output = try run(.gzip, compression.title, stream.descriptor, isStopped)
        case 93, 95:
            try Self.copy(input, start, member.compressedSize, to: stream, asBlocks: false, isStopped)
            output = try run(
                member.method == 93 ? .zstd : .xz, compression.title, stream.descriptor, isStopped)
        default:
            let name = [9: "Deflate64", 12: "bzip2", 14: "LZMA", 99: "an encryption"][member.method]
            throw CompressionFault(
                path,
                "cannot be decompressed: its file is compressed with \(name ?? "method \(member.method)")",
                help: "Compress the database as usual: zip NEW.zip DATABASE.")
        }
        guard output.size == member.size else {
            throw CompressionFault(
                path,
                "cannot be decompressed: \(output.size) bytes came out of it, and its list of files says "
                    + "\(member.size)", help: Self.damageHelp)
        }
        return output
    }

    /// Copies a part of a file.
    /// - Parameter asBlocks: whether the bytes are not compressed yet, and become stored blocks of deflate
    ///   (https://www.rfc-editor.org/rfc/rfc1951#section-3.2.4).
    private static func copy(
        _ input: Int32, _ start: Int, _ count: Int, to output: PrivateFile, asBlocks: Bool,
        _ isStopped: () -> Bool
    ) throws {
        let largest = 0xffff
        var done = 0
        repeat {
            if isStopped() { throw EngineError(.interrupted, "interrupted") }
            let bytes = try read(input, start + done, min(largest, count - done))
            done += bytes.count
            guard done == count || !bytes.isEmpty else { throw ZipDirectory.Damage() }
            if asBlocks {
                let (low, high) = (UInt8(bytes.count & 0xff), UInt8(bytes.count >> 8))
                try output.append([done == count ? 1 : 0, low, high, ~low, ~high])
            }
            try output.append(bytes)
        } while done < count
    }

    /// Returns bytes of an open file; fewer at its end.
    private static func read(_ descriptor: Int32, _ offset: Int, _ count: Int) throws -> [UInt8] {
        guard offset >= 0, count >= 0 else { throw ZipDirectory.Damage() }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let more = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress?.advanced(by: done), count - done, off_t(offset + done))
            }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw FileFault(FolderListing.describe(errno)) }
            if more == 0 { break }
            done += more
        }
        return Array(bytes.prefix(done))
    }
}

extension CompressedFile {
    /// Returns the bytes of a snapshot's file, decompressed if it is compressed.
    /// - Throws: ``FileFault``, ``CompressionFault``; ``EngineError`` if the run was stopped.
    package static func bytes(of path: String, isStopped: () -> Bool = { Task.isCancelled }) throws -> [UInt8]
    {
        guard let file = CompressedFile(path) else { return try FolderListing.contents(of: path) }
        let content = try file.content(isStopped: isStopped)
        return try content.withBytes(at: 0, count: content.size) { Array($0) }
    }
}
