import CSQLite
import Foundation
import Synchronization

/// Runs SQL on a real file as any program does, and kills itself at one of SQLite's operations on files.
///
///     KilledWriter DATABASE SQL [OPERATION [SECTORS]]
///
/// The operation, the first being 1, is not done any more; with SECTORS, so many sectors of 512 bytes are written of it.
/// Without one, the number of operations is printed.
@main
enum KilledWriter {
    static func main() {
        let arguments = CommandLine.arguments
        let end = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
        let sectors = arguments.count > 4 ? Int64(arguments[4]) ?? 0 : 0
        FatalFiles.install(end: end, sectors: sectors)
        var database: OpaquePointer?
        guard sqlite3_open_v2(arguments[1], &database, SQLITE_OPEN_READWRITE, "fatal") == SQLITE_OK,
            sqlite3_exec(database, arguments[2], nil, nil, nil) == SQLITE_OK
        else {
            FileHandle.standardError.write(Data("\(String(cString: sqlite3_errmsg(database)))\n".utf8))
            exit(1)
        }
        sqlite3_close(database)
        print(FatalFiles.count.load(ordering: .relaxed))
    }
}

/// SQLite's own file system, with operations that are counted.
private enum FatalFiles {
    static let count = Atomic(0)
    private static let end = Atomic(0)
    private static let sectors = Atomic(Int64(0))
    nonisolated(unsafe) private static var system = sqlite3_vfs()
    nonisolated(unsafe) private static var usual = sqlite3_vfs()
    /// The methods of an open file, before they were replaced.
    nonisolated(unsafe) private static var methods = sqlite3_io_methods()

    static func install(end: Int, sectors: Int64) {
        self.end.store(end, ordering: .relaxed)
        self.sectors.store(sectors, ordering: .relaxed)
        guard let found = sqlite3_vfs_find(nil) else { return }
        usual = found.pointee
        system = usual
        system.pNext = nil
        system.zName = UnsafePointer(strdup("fatal"))
        system.xOpen = { system, name, file, flags, outFlags in
            let code = FatalFiles.usual.xOpen(system, name, file, flags, outFlags)
            if code == SQLITE_OK, let file { FatalFiles.replaceMethods(of: file) }
            return code
        }
        system.xDelete = { system, name, syncs in
            if FatalFiles.isEnd() { FatalFiles.die() }
            return FatalFiles.usual.xDelete(system, name, syncs)
        }
        sqlite3_vfs_register(&system, 0)
    }

    /// A file's methods differ in how it is locked, and not in how it is written.
    private static func replaceMethods(of file: UnsafeMutablePointer<sqlite3_file>) {
        methods = file.pointee.pMethods.pointee
        let replaced = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        replaced.initialize(to: methods)
        replaced.pointee.xWrite = { file, bytes, count, offset in
            if FatalFiles.isEnd() {
                let torn = FatalFiles.sectors.load(ordering: .relaxed) * 512 - offset % 512
                if torn > 0 { _ = FatalFiles.methods.xWrite(file, bytes, min(count, Int32(torn)), offset) }
                FatalFiles.die()
            }
            return FatalFiles.methods.xWrite(file, bytes, count, offset)
        }
        replaced.pointee.xTruncate = { file, size in
            if FatalFiles.isEnd() { FatalFiles.die() }
            return FatalFiles.methods.xTruncate(file, size)
        }
        replaced.pointee.xSync = { file, flags in
            if FatalFiles.isEnd() { FatalFiles.die() }
            return FatalFiles.methods.xSync(file, flags)
        }
        file.pointee.pMethods = UnsafePointer(replaced)
    }

    private static func isEnd() -> Bool {
        count.wrappingAdd(1, ordering: .relaxed).newValue == end.load(ordering: .relaxed)
    }

    private static func die() { kill(getpid(), SIGKILL) }
}
