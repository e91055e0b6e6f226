import Synchronization

/// A database that can be written without a byte changing on the disk.
///
/// It is a SQLite file system (https://www.sqlite.org/vfs.html): connections opened with ``uri`` see the
/// snapshot, and what they write stays in the overlay. The cost of opening does not grow with the snapshot.
/// Every other file that a connection of this overlay names, for example with ATTACH or VACUUM INTO, is
/// treated the same way.
///
/// Open connections keep what they need alive; the overlay itself may be freed before they are closed.
package final class Overlay: Sendable {
    /// The name for `sqlite3_open_v2` together with `SQLITE_OPEN_URI`.
    ///
    /// It is valid as long as the overlay or a connection to it lives. Code that passes on only the URI must
    /// keep the overlay until a connection is open: `withExtendedLifetime(overlay) { ... }`.
    package let uri: String
    let path: FilePath
    let fileSystem: VirtualFileSystem
    /// Whether Drydock's own checks write here.
    let isFork: Bool
    /// The change counters that connections saw before a database was taken away; see ``rebase(on:_:)``.
    let lastCounters = Mutex<[FilePath: UInt32]>([:])

    /// How many bytes of written pages stay in memory before more go to a temporary file.
    package static let defaultMemoryLimit = 80 << 20
    /// The same for a fork: the overlay of the state from which it starts is often in use beside it.
    package static let forkMemoryLimit = 8 << 20

    private static let writtenLimit = Atomic(Int.max)

    /// Limits what SQL may write to one overlay, wherever it is kept. A migration that rebuilds every table of a large
    /// database writes more than fits any memory, and may: what it writes grows with what was there. One that makes
    /// gigabytes of nothing is stopped.
    /// - Parameter bytes: for an empty database; nil for no limit.
    package static func limitWritten(to bytes: Int?) {
        writtenLimit.store(bytes ?? .max, ordering: .relaxed)
    }

    /// What ``limitWritten(to:)`` set.
    package static var limitOfWritten: Int? {
        let limit = writtenLimit.load(ordering: .relaxed)
        return limit == .max ? nil : limit
    }

    /// Returns how many bytes may be written to an overlay.
    /// - Parameter isFork: whether Drydock's own checks write there. They may write twice as much as a migration, since
    ///   they run the migration again and keep what they compare.
    static func allowance(over images: [FilePath: FileImage?], isFork: Bool) -> Int {
        let limit = writtenLimit.load(ordering: .relaxed)
        let (doubled, overflows) = limit.addingReportingOverflow(isFork ? limit : 0)
        let (sum, isOver) = doubled.addingReportingOverflow(share(of: images))
        return overflows || isOver ? .max : sum
    }

    /// Returns how many bytes may be written in addition because of the files that are there.
    static func share(of images: [FilePath: FileImage?]) -> Int {
        let size = images.values.reduce(0) { $0 + ($1?.size ?? 0) }
        let (product, isOver) = size.multipliedReportingOverflow(by: 4)
        return isOver ? .max : product
    }

    /// What fails in the overlays that are made meanwhile; for tests.
    @TaskLocal package static var faults: FaultPlan?
    /// The log of what is written in the overlays that are created while it is set.
    @TaskLocal package static var writeLog: WriteLog?
    /// The log of faults in the overlays that are created while it is set.
    @TaskLocal package static var faultLog: FaultLog?
    /// The meter of the temporary files of the overlays that are created while it is set.
    @TaskLocal package static var spillMeter: SpillMeter?

    /// The files on the disk that SQL may name in the overlays that are created while it is set.
    @TaskLocal package static var reach = FileReach.workingFolder

    private static let names = Atomic<Int>(0)

    /// Opens a snapshot. The `-wal` and `-journal` files beside it are seen as part of it.
    /// - Parameter holdsDescriptors: whether the descriptors of these files stay open until
    ///   ``closeDescriptors()``, so that this process's connections to the files keep their locks.
    /// - Throws: ``OverlayError``.
    package convenience init(
        snapshot path: String, memoryLimit: Int = defaultMemoryLimit, holdsDescriptors: Bool = false
    ) throws(OverlayError) {
        let image = try Image(snapshot: path, holdsDescriptors: holdsDescriptors)
        try self.init(image, memoryLimit: memoryLimit, isFork: false)
    }

    /// Opens a snapshot whose bytes are not those of the file under its name: they were decompressed from it. What is
    /// beside that file is not part of the snapshot.
    /// - Throws: ``OverlayError``.
    package convenience init(
        snapshot path: String, content: MappedFile, memoryLimit: Int = defaultMemoryLimit
    ) throws(OverlayError) {
        let path = FilePath(path).resolved
        var files: [FilePath: FileImage?] = [:]
        for suffix in Sidecar.content {
            files.updateValue(suffix.isEmpty ? FileImage(content) : nil, forKey: path.appending(suffix))
        }
        try self.init(
            Image(path: path, files: files, bases: [content]), memoryLimit: memoryLimit, isFork: false)
    }

    /// Creates an empty database that is not on the disk.
    /// - Parameter name: what `PRAGMA database_list` shows as the file's name.
    /// - Throws: ``OverlayError``.
    package convenience init(
        emptyNamed name: String = "drydock.sqlite", memoryLimit: Int = defaultMemoryLimit
    ) throws(OverlayError) {
        let nowhere = Image(path: FilePath(name), files: [:], bases: [])
        let path = Self.unusedPath(like: nowhere.path)
        let files = nowhere.mainFiles(as: path)
        try self.init(
            Image(path: path, files: files, bases: []), memoryLimit: memoryLimit, isFork: false)
    }

    /// Starts a new overlay from a frozen state. Its writes show in no other overlay.
    /// - Parameters:
    ///   - memoryLimit: how many bytes of written pages stay in memory; nil for the usual number.
    ///   - isFork: whether Drydock's own checks write there, which may write more than a migration.
    /// - Throws: ``OverlayError``.
    package init(_ image: Image, memoryLimit: Int? = nil, isFork: Bool = true) throws(OverlayError) {
        let space = FileSpace(
            main: image.path, image.files, bases: image.bases,
            memoryLimit: memoryLimit ?? (isFork ? Self.forkMemoryLimit : Self.defaultMemoryLimit),
            allowance: Self.allowance(over: image.files, isFork: isFork))
        let name = "drydock-\(Self.nextNumber())"
        path = image.path
        self.isFork = isFork
        fileSystem = try VirtualFileSystem(space, name: name)
        uri = Self.uri(of: image.path, in: name)
    }

    /// Makes what was written since the last freeze part of an immutable state.
    ///
    /// Call it while no transaction is open on the overlay, and in WAL mode after a checkpoint: the footprint
    /// is that of the main database file, byte by byte, and a commit that is still in the `-wal` is not
    /// included.
    package func freeze() -> (image: Image, footprint: Footprint) {
        let (files, bases) = fileSystem.space.freeze()
        let image = Image(path: path, files: files.mapValues { $0?.after }, bases: bases)
        var footprint = (files[path] ?? nil).map { Footprint($0) } ?? .empty
        footprint.otherFiles = otherFiles(files)
        return (image, footprint)
    }

    /// Makes what was written to the main database and to mounted ones part of an immutable state, as ``freeze()`` does.
    /// - Returns: the main database, then those that are mounted.
    package func freeze(with mounts: [Mount]) -> [(image: Image, footprint: Footprint)] {
        let (files, bases) = fileSystem.space.freeze()
        let images = files.mapValues { $0?.after }
        return ([path] + mounts.map(\.path)).map { path in
            let footprint = (files[path] ?? nil).map { Footprint($0) } ?? .empty
            return (Image(path: path, files: images, bases: bases), footprint)
        }
    }

    /// The files of the disk beside the main database whose bytes changed; a write-ahead log counts for its database.
    private func otherFiles(_ files: [FilePath: FrozenFile?]) -> [String] {
        let own = Set(Sidecar.content.map { path.appending($0) })
        var changed: Set<String> = []
        for case (let name, let file?) in files where !own.contains(name) {
            guard file.before.base != nil, !Footprint(file).isEmpty else { continue }
            let text = name.string
            guard !text.hasSuffix(Sidecar.sharedMemory), !text.hasSuffix(Sidecar.journal) else { continue }
            changed.insert(text.hasSuffix(Sidecar.log) ? String(text.dropLast(Sidecar.log.count)) : text)
        }
        return changed.sorted()
    }

    /// See ``replaceContent(with:)``.
    func replaceMain(with image: FileImage) throws(OverlayError) {
        for suffix in Sidecar.content where !suffix.isEmpty {
            _ = fileSystem.space.delete(path.appending(suffix))
        }
        try fileSystem.space.create(path).replace(with: image)
    }

    /// A database that is mounted beside the main one.
    package struct Mount: Sendable {
        let path: FilePath
        /// The name for `ATTACH`.
        package let uri: String
    }

    /// Mounts the main database of another state in this overlay, copy on write.
    package func mount(_ image: Image) -> Mount {
        let path = Self.unusedPath(like: image.path)
        fileSystem.space.mount(image.mainFiles(as: path), bases: image.bases)
        return Mount(path: path, uri: Self.uri(of: path, in: fileSystem.name))
    }

    /// Mounts the main database of another state.
    /// - Returns: the URI for `ATTACH`.
    package func attach(_ image: Image) -> String { mount(image).uri }

    /// Stops the clock that SQLite sees in this overlay, for `'now'` and CURRENT_TIMESTAMP, so that repeated
    /// runs see the same time.
    /// - Parameter milliseconds: the time in milliseconds since 1970.
    package func stopClock(at milliseconds: Int64) {
        // SQLite counts from noon in Greenwich on November 24, 4714 B.C.
        fileSystem.fixedTime.store(milliseconds + 210_866_760_000_000, ordering: .relaxed)
    }

    /// The snapshot on the disk, before anything is run: the database, then what is not empty of its `-wal` and
    /// `-journal`.
    package var snapshotFiles: [MappedFile] {
        let files = fileSystem.space.bases
        return files.prefix(1) + files.dropFirst().filter { $0.size > 0 }
    }

    /// Checks that what was read is still what the disk has.
    /// - Throws: ``OverlayError`` if a file on the disk that this overlay is based on is missing, was
    ///   replaced, was written or was cut short.
    package func checkUnchanged() throws(OverlayError) {
        try fileSystem.space.checkUnchanged()
    }

    /// Closes the descriptors that are held; the files stay mapped. To be called once this process's connections to
    /// the files are closed, and before others are opened.
    package func closeDescriptors() { fileSystem.space.closeDescriptors() }

    /// The last error that SQLite received only as a result code: a snapshot that lost pages
    /// (`SQLITE_IOERR_READ`), a full disk (`SQLITE_FULL`), a pipe named as a database (`SQLITE_CANTOPEN`).
    package var fault: OverlayError? { fileSystem.space.fault }

    private static func nextNumber() -> Int {
        names.add(1, ordering: .relaxed).newValue
    }

    /// Returns a path in a folder that exists on no disk.
    private static func unusedPath(like path: FilePath) -> FilePath {
        FilePath("/drydock-\(nextNumber()).overlay/\(path.lastComponent)")
    }

    private static func uri(of path: FilePath, in name: String) -> String {
        "file:\(path.percentEncoded)?vfs=\(name)"
    }
}
