import CSQLite
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file system that SQLite knows by name, and the names and files in it.
///
/// The overlay holds it, and so does every open file, so it outlives the last connection: the structure that
/// SQLite points to is freed only when no call can come through it any more.
final class VirtualFileSystem: Sendable {
    let name: String
    let space: FileSpace
    /// The fixed time of this file system, as `xCurrentTimeInt64` returns it; 0 for the system's clock.
    let fixedTime = Atomic<Int64>(0)

    // Filled in init and freed in deinit. In between only SQLite changes it (the list's `pNext`), under its
    // own mutex.
    nonisolated(unsafe) private let structure: UnsafeMutablePointer<sqlite3_vfs>
    // Owned here; SQLite only reads it.
    nonisolated(unsafe) private let cName: UnsafeMutablePointer<CChar>?

    /// - Throws: ``OverlayError/notRegistered(code:)``.
    init(_ space: FileSpace, name: String) throws(OverlayError) {
        self.space = space
        self.name = name
        cName = strdup(name)
        structure = .allocate(capacity: 1)
        structure.initialize(to: Self.methods)
        structure.pointee.zName = UnsafePointer(cName)
        structure.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        // Registering counts as a first use of SQLite, and an overlay's name is a URI.
        _ = Self.readsURIs
        let code = sqlite3_vfs_register(structure, 0)
        if code != SQLITE_OK { throw .notRegistered(code: code) }
    }

    deinit {
        sqlite3_vfs_unregister(structure)
        structure.deallocate()
        free(cName)
    }

    /// Returns the object for the structure that SQLite passes to a callback.
    static func from(_ structure: UnsafeMutablePointer<sqlite3_vfs>?) -> VirtualFileSystem? {
        guard let data = structure?.pointee.pAppData else { return nil }
        return Unmanaged<VirtualFileSystem>.fromOpaque(data).takeUnretainedValue()
    }

    /// Turns on URI names in a SQLite that was built without them; has no effect if SQLite is in use already.
    private static let readsURIs = csqlite_read_uris()

    /// The system's own file system, for everything that is not about files.
    static var system: UnsafeMutablePointer<sqlite3_vfs>? { sqlite3_vfs_find(nil) }
}

// MARK: Callbacks

// https://www.sqlite.org/c3ref/vfs.html. SQLite owns every pointer that it passes. None is kept, except for
// the file's own memory, in which `OpenFile` stores what `xClose` takes out.
extension VirtualFileSystem {
    private static var methods: sqlite3_vfs {
        var methods = sqlite3_vfs()
        methods.iVersion = 2
        methods.szOsFile = Int32(MemoryLayout<FileMemory>.stride)
        methods.mxPathname = 4096
        methods.xOpen = { vfs, name, file, flags, outFlags in
            VirtualFileSystem.open(vfs, name, file, flags, outFlags)
        }
        methods.xDelete = { vfs, name, syncsFolder in
            guard let space = VirtualFileSystem.from(vfs)?.space, let name else { return SQLITE_IOERR }
            let path = FilePath(cString: name)
            guard space.delete(path) else { return ResultCode.deleteNoEntry }
            space.writes?.note(.delete(path, isDurable: syncsFolder != 0))
            return SQLITE_OK
        }
        methods.xAccess = { vfs, name, flags, result in
            guard let space = VirtualFileSystem.from(vfs)?.space, let name else { return SQLITE_IOERR }
            // As in SQLite's unix file system, an empty file does not exist if only existence is queried.
            let isThere = space.exists(FilePath(cString: name), emptyCounts: flags != SQLITE_ACCESS_EXISTS)
            result?.pointee = isThere ? 1 : 0
            return SQLITE_OK
        }
        methods.xFullPathname = { vfs, name, count, result in
            VirtualFileSystem.fullPath(vfs, name, count, result)
        }
        addSystemMethods(&methods)
        return methods
    }

    private static func open(
        _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let file else { return SQLITE_CANTOPEN }
        // Without methods SQLite does not call xClose on a file that was not opened.
        file.pointee.pMethods = nil
        guard let system = from(vfs) else { return SQLITE_CANTOPEN }
        let path = name.map { FilePath(cString: $0) }
        do throws(OverlayError) {
            guard let found = try system.space.open(path, flags) else { return SQLITE_CANTOPEN }
            let isDeleted = flags & SQLITE_OPEN_DELETEONCLOSE != 0
            OpenFile(found, of: system, path: path, isDeletedOnClose: isDeleted).install(in: file)
            outFlags?.pointee = flags
            return SQLITE_OK
        } catch {
            system.space.note(error)
            return SQLITE_CANTOPEN
        }
    }

    private static func fullPath(
        _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ count: Int32,
        _ result: UnsafeMutablePointer<CChar>?
    ) -> Int32 {
        guard let space = from(vfs)?.space, let name, let result else { return SQLITE_CANTOPEN }
        let given = FilePath(cString: name)
        let absolute = given.absolute
        let path = space.knows(absolute) ? absolute : given.resolved
        guard path.bytes.count < Int(count) else { return SQLITE_CANTOPEN }
        strcpy(result, path.cString)
        return SQLITE_OK
    }

    /// Forwards what is not about files: randomness, clocks, loadable extensions.
    private static func addSystemMethods(_ methods: inout sqlite3_vfs) {
        methods.xDlOpen = { _, name in VirtualFileSystem.system.flatMap { $0.pointee.xDlOpen?($0, name) } }
        methods.xDlError = { _, count, text in
            VirtualFileSystem.system.map { $0.pointee.xDlError?($0, count, text) }
        }
        methods.xDlSym = { _, library, symbol in
            VirtualFileSystem.system.flatMap { $0.pointee.xDlSym?($0, library, symbol) }
        }
        methods.xDlClose = { _, library in VirtualFileSystem.system.map { $0.pointee.xDlClose?($0, library) }
        }
        methods.xRandomness = { _, count, bytes in
            VirtualFileSystem.system.flatMap { $0.pointee.xRandomness?($0, count, bytes) } ?? 0
        }
        methods.xSleep = { _, time in VirtualFileSystem.system.flatMap { $0.pointee.xSleep?($0, time) } ?? 0 }
        methods.xCurrentTime = { vfs, time in
            if let fixed = VirtualFileSystem.from(vfs)?.fixedTime.load(ordering: .relaxed), fixed != 0 {
                time?.pointee = Double(fixed) / 86_400_000
                return SQLITE_OK
            }
            return VirtualFileSystem.system.flatMap { $0.pointee.xCurrentTime?($0, time) } ?? SQLITE_ERROR
        }
        methods.xCurrentTimeInt64 = { vfs, time in
            if let fixed = VirtualFileSystem.from(vfs)?.fixedTime.load(ordering: .relaxed), fixed != 0 {
                time?.pointee = fixed
                return SQLITE_OK
            }
            return VirtualFileSystem.system.flatMap { $0.pointee.xCurrentTimeInt64?($0, time) }
                ?? SQLITE_ERROR
        }
        methods.xGetLastError = { _, _, _ in errno }
    }
}

extension FileSpace {
    /// Returns the file for `xOpen`; nil if it may not be opened.
    fileprivate func open(_ path: FilePath?, _ flags: Int32) throws(OverlayError) -> OverlayFile? {
        guard let path else {
            return makeTemporaryFile(isStatementJournal: flags & SQLITE_OPEN_SUBJOURNAL != 0)
        }
        if let file = try file(path) {
            return flags & SQLITE_OPEN_EXCLUSIVE == 0 ? file : nil
        }
        guard flags & SQLITE_OPEN_CREATE != 0 else { return nil }
        if flags & SQLITE_OPEN_DELETEONCLOSE == 0 { writes?.note(.create(path)) }
        return create(path)
    }
}

/// Result codes that C defines by arithmetic, which Swift does not import.
/// https://www.sqlite.org/rescode.html
enum ResultCode {
    static let read = SQLITE_IOERR | (1 << 8)
    static let shortRead = SQLITE_IOERR | (2 << 8)
    static let write = SQLITE_IOERR | (3 << 8)
    static let sync = SQLITE_IOERR | (4 << 8)
    static let truncate = SQLITE_IOERR | (6 << 8)
    static let deleteNoEntry = SQLITE_IOERR | (23 << 8)
}
