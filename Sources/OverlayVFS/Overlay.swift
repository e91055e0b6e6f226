import Synchronization

/// A database that can be written without a byte changing on the disk.
///
/// It is a SQLite file system of its own (https://www.sqlite.org/vfs.html): connections opened with
/// ``uri`` see the snapshot, and what they write stays here. Opening costs nothing that grows with the
/// snapshot. Every other file that a connection of this overlay names, with ATTACH or VACUUM INTO say,
/// is seen the same way.
///
/// Open connections keep what they need alive; the overlay itself may go before they do.
package final class Overlay: Sendable {
    /// What `sqlite3_open_v2` takes together with `SQLITE_OPEN_URI`.
    ///
    /// The name in it is known as long as the overlay or a connection to it lives. Whoever passes on the
    /// URI alone keeps the overlay until it is opened: `withExtendedLifetime(overlay) { ... }`.
    package let uri: String
    private let path: FilePath
    private let fileSystem: VirtualFileSystem

    /// The memory, in bytes, that written pages take before they go to a temporary file.
    package static let defaultMemoryLimit = 256 << 20

    private static let writtenLimit = Atomic(Int.max)

    /// Limits what SQL may write to one overlay, wherever it is kept. A migration that rebuilds every table of a large
    /// database writes more than fits any memory, and may: what it writes grows with what was there. One that makes
    /// gigabytes of nothing is stopped.
    /// - Parameter bytes: for an empty database; nil for no limit.
    package static func limitWritten(to bytes: Int?) {
        writtenLimit.store(bytes ?? .max, ordering: .relaxed)
    }

    static func allowance(over size: Int) -> Int {
        let limit = writtenLimit.load(ordering: .relaxed)
        let (sum, isOver) = limit.addingReportingOverflow(
            size.multipliedReportingOverflow(by: 4).partialValue)
        return isOver ? .max : sum
    }

    /// What fails in the overlays that are made meanwhile; for tests.
    @TaskLocal package static var faults: FaultPlan?
    /// What hears of faults in the overlays that are made meanwhile.
    @TaskLocal package static var faultLog: FaultLog?
    /// What counts the temporary files of the overlays that are made meanwhile.
    @TaskLocal package static var spillMeter: SpillMeter?

    /// The files of the disk that SQL may name in the overlays that are made meanwhile.
    @TaskLocal package static var reach = FileReach.workingFolder

    private static let names = Atomic<Int>(0)

    /// Opens a snapshot. The `-wal` and `-journal` files beside it are seen as part of it.
    /// - Parameter holdsDescriptors: whether their descriptors stay open as long as this object or an image
    ///   of it lives, so that the locks of a connection of this process to them are not dropped.
    /// - Throws: ``OverlayError``.
    package convenience init(
        snapshot path: String, memoryLimit: Int = defaultMemoryLimit, holdsDescriptors: Bool = false
    ) throws(OverlayError) {
        let path = FilePath(path).resolved
        var files: [FilePath: FileImage?] = [:]
        var bases: [MappedFile] = []
        for suffix in Image.suffixes {
            let name = path.appending(suffix)
            let base =
                suffix.isEmpty
                ? try MappedFile(name, holdsDescriptor: holdsDescriptors)
                : try FileSpace.map(name, holdsDescriptor: holdsDescriptors)
            files.updateValue(base.map { FileImage($0) }, forKey: name)
            if let base { bases.append(base) }
        }
        try self.init(Image(path: path, files: files, bases: bases), memoryLimit: memoryLimit)
    }

    /// Makes an empty database that is nowhere on the disk.
    /// - Parameter name: what `PRAGMA database_list` shows as the file's name.
    /// - Throws: ``OverlayError``.
    package convenience init(
        emptyNamed name: String = "drydock.sqlite", memoryLimit: Int = defaultMemoryLimit
    ) throws(OverlayError) {
        let nowhere = Image(path: FilePath(name), files: [:], bases: [])
        let path = Self.unusedPath(like: nowhere.path)
        let files = nowhere.mainFiles(as: path)
        try self.init(Image(path: path, files: files, bases: []), memoryLimit: memoryLimit)
    }

    /// Goes on from a frozen state, on its own: what is written here shows in no other overlay.
    /// - Throws: ``OverlayError``.
    package init(_ image: Image, memoryLimit: Int = defaultMemoryLimit) throws(OverlayError) {
        let space = FileSpace(image.files, bases: image.bases, memoryLimit: memoryLimit)
        let name = "drydock-\(Self.nextNumber())"
        path = image.path
        fileSystem = try VirtualFileSystem(space, name: name)
        uri = Self.uri(of: image.path, in: name)
    }

    /// Makes what was written since the last freeze part of an immutable state.
    ///
    /// To be called while no transaction is open on the overlay, and in WAL mode after a checkpoint: the
    /// footprint is that of the main database file, byte by byte, and a commit that is still in the
    /// `-wal` is not in it.
    package func freeze() -> (image: Image, footprint: Footprint) {
        let (files, bases) = fileSystem.space.freeze()
        let image = Image(path: path, files: files.mapValues { $0?.after }, bases: bases)
        var footprint = (files[path] ?? nil).map { Footprint($0) } ?? .empty
        footprint.otherFiles = otherFiles(files)
        return (image, footprint)
    }

    /// The files of the disk beside the main database whose bytes changed; a write-ahead log counts for its database.
    private func otherFiles(_ files: [FilePath: FrozenFile?]) -> [String] {
        let own = Set(Image.suffixes.map { path.appending($0) })
        var changed: Set<String> = []
        for case (let name, let file?) in files where !own.contains(name) {
            guard file.before.base != nil, !Footprint(file).isEmpty else { continue }
            let text = name.string
            guard !text.hasSuffix("-shm"), !text.hasSuffix("-journal") else { continue }
            changed.insert(text.hasSuffix("-wal") ? String(text.dropLast(4)) : text)
        }
        return changed.sorted()
    }

    /// Mounts the main database of another state in this overlay, copy on write.
    /// - Returns: the URI for `ATTACH`.
    package func attach(_ image: Image) -> String {
        let path = Self.unusedPath(like: image.path)
        fileSystem.space.mount(image.mainFiles(as: path), bases: image.bases)
        return Self.uri(of: path, in: fileSystem.name)
    }

    /// Stops the clock that SQLite sees here, for `'now'` and CURRENT_TIMESTAMP: what is run twice sees one time.
    /// - Parameter milliseconds: since 1970.
    package func stopClock(at milliseconds: Int64) {
        // SQLite counts from noon in Greenwich on November 24, 4714 B.C.
        fileSystem.fixedTime.store(milliseconds + 210_866_760_000_000, ordering: .relaxed)
    }

    /// Makes sure that what was read is still what the disk has.
    /// - Throws: ``OverlayError`` when a file of the disk that this overlay stands on is gone, was
    ///   replaced, was written or was cut short.
    package func checkUnchanged() throws(OverlayError) {
        try fileSystem.space.checkUnchanged()
    }

    /// The last error that SQLite was told only as a result code: a snapshot that lost pages
    /// (`SQLITE_IOERR_READ`), a full disk (`SQLITE_FULL`), a pipe named as a database (`SQLITE_CANTOPEN`).
    package var fault: OverlayError? { fileSystem.space.fault }

    private static func nextNumber() -> Int {
        names.add(1, ordering: .relaxed).newValue
    }

    /// A path in a folder that no disk has.
    private static func unusedPath(like path: FilePath) -> FilePath {
        FilePath("/drydock-\(nextNumber()).overlay/\(path.lastComponent)")
    }

    private static func uri(of path: FilePath, in name: String) -> String {
        "file:\(path.percentEncoded)?vfs=\(name)"
    }
}
