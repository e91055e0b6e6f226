import CSQLite

/// The memory that SQLite allocates for an open file: its own part, then Drydock's.
/// https://www.sqlite.org/c3ref/file.html
struct FileMemory {
    var base: sqlite3_file
    /// Retained by ``OpenFile/install(in:)``, released by `xClose`.
    var handle: Unmanaged<OpenFile>?
}

/// One connection's open file: the locks that it holds, and what it keeps alive.
///
/// SQLite never uses one open file from two threads at once, so the locks held need no protection.
final class OpenFile {
    let file: OverlayFile
    /// Keeps the structure through which SQLite calls alive for as long as a file is open.
    let system: VirtualFileSystem
    /// The file's name; nil for a temporary file.
    let path: FilePath?
    private let deletedOnClose: FilePath?
    var lockLevel = SQLITE_LOCK_NONE
    var claim = SharedMemory.Claim()

    init(_ file: OverlayFile, of system: VirtualFileSystem, path: FilePath?, isDeletedOnClose: Bool) {
        self.file = file
        self.system = system
        self.path = isDeletedOnClose ? nil : path
        deletedOnClose = isDeletedOnClose ? path : nil
    }

    /// Records what was done to a named file, if that is requested.
    @inline(__always) func log(_ operation: (FilePath) -> WriteLog.Operation) {
        if let path, let log = system.space.writes { log.note(operation(path)) }
    }

    /// Puts this handle into SQLite's memory, retained.
    func install(in file: UnsafeMutablePointer<sqlite3_file>) {
        UnsafeMutableRawPointer(file).initializeMemory(
            as: FileMemory.self,
            to: FileMemory(base: sqlite3_file(pMethods: FileMethods.table), handle: .passRetained(self)))
    }

    /// Returns the handle in SQLite's memory, still retained there.
    static func from(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile? {
        memory(file)?.pointee.handle?.takeUnretainedValue()
    }

    /// Takes the handle out of SQLite's memory and releases its locks.
    static func close(_ file: UnsafeMutablePointer<sqlite3_file>?) {
        guard let memory = memory(file), let handle = memory.pointee.handle?.takeRetainedValue() else {
            return
        }
        memory.pointee.handle = nil
        handle.file.sharedMemory.detach(&handle.claim)
        handle.file.locks.lower(&handle.lockLevel, to: SQLITE_LOCK_NONE, for: ObjectIdentifier(handle))
        if let path = handle.deletedOnClose { _ = handle.system.space.delete(path) }
    }

    private static func memory(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> UnsafeMutablePointer<FileMemory>? {
        UnsafeMutableRawPointer(file)?.assumingMemoryBound(to: FileMemory.self)
    }
}
