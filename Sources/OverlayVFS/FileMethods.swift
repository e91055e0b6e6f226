import CSQLite
import Synchronization

/// The methods that SQLite calls on an open file. https://www.sqlite.org/c3ref/io_methods.html
///
/// SQLite owns every pointer that it passes, and none is kept.
enum FileMethods {
    // Created once and never freed or changed: SQLite may read the table as long as any file is open.
    nonisolated(unsafe) static let table: UnsafePointer<sqlite3_io_methods> = {
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        var methods = sqlite3_io_methods()
        methods.iVersion = 2
        addContentMethods(&methods)
        addLockMethods(&methods)
        addSharedMemoryMethods(&methods)
        table.initialize(to: methods)
        return UnsafePointer(table)
    }()

    private static func addContentMethods(_ methods: inout sqlite3_io_methods) {
        methods.xClose = { file in
            OpenFile.close(file)
            return SQLITE_OK
        }
        methods.xRead = { file, bytes, count, offset in FileMethods.read(file, bytes, count, offset) }
        methods.xWrite = { file, bytes, count, offset in
            FileMethods.change(file, upTo: offset + Int64(count), grows: true) {
                handle throws(OverlayError) in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: Int(count))
                try handle.file.write(bytes, at: Int(offset))
                handle.log { .write($0, offset: Int(offset), Array(bytes)) }
            }
        }
        methods.xTruncate = { file, size in
            FileMethods.change(file, upTo: size, grows: false) { handle throws(OverlayError) in
                try handle.file.truncate(to: Int(size))
                handle.log { .truncate($0, to: Int(size)) }
            }
        }
        // There is nothing to make durable: an overlay ends with its process.
        methods.xSync = { file, _ in
            guard let handle = OpenFile.from(file) else { return ResultCode.sync }
            let space = handle.system.space
            do throws(OverlayError) {
                try space.begin(.sync)
                handle.log { .sync($0) }
                return SQLITE_OK
            } catch {
                space.note(error)
                return ResultCode.sync
            }
        }
        methods.xFileSize = { file, size in
            guard let handle = OpenFile.from(file) else { return SQLITE_IOERR }
            size?.pointee = sqlite3_int64(handle.file.size)
            return SQLITE_OK
        }
        methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        methods.xSectorSize = { _ in Int32(Block.size) }
        methods.xDeviceCharacteristics = { file in
            // What is logged stands for a disk, of which SQLite's unix file system promises only the first.
            let isDisk = OpenFile.from(file)?.system.space.writes != nil
            return SQLITE_IOCAP_POWERSAFE_OVERWRITE | (isDisk ? 0 : SQLITE_IOCAP_SAFE_APPEND)
        }
    }

    private static func addLockMethods(_ methods: inout sqlite3_io_methods) {
        methods.xLock = { file, level in
            guard let handle = OpenFile.from(file) else { return SQLITE_IOERR }
            if level > handle.lockLevel, handle.system.space.isBusy() { return SQLITE_BUSY }
            return handle.file.locks.raise(&handle.lockLevel, to: level, for: ObjectIdentifier(handle))
        }
        methods.xUnlock = { file, level in
            guard let handle = OpenFile.from(file) else { return SQLITE_IOERR }
            handle.file.locks.lower(&handle.lockLevel, to: level, for: ObjectIdentifier(handle))
            return SQLITE_OK
        }
        methods.xCheckReservedLock = { file, result in
            guard let handle = OpenFile.from(file) else { return SQLITE_IOERR }
            result?.pointee = handle.file.locks.isReserved ? 1 : 0
            return SQLITE_OK
        }
    }

    private static func addSharedMemoryMethods(_ methods: inout sqlite3_io_methods) {
        methods.xShmMap = { file, region, size, isExtending, result in
            guard let handle = OpenFile.from(file), let result else { return SQLITE_IOERR }
            let mapped = handle.file.sharedMemory.map(
                region: Int(region), size: Int(size), isExtending: isExtending != 0, &handle.claim)
            result.pointee = UnsafeMutableRawPointer(bitPattern: mapped.address)
            return mapped.code
        }
        methods.xShmLock = { file, offset, count, flags in
            guard let handle = OpenFile.from(file) else { return SQLITE_IOERR }
            if flags & SQLITE_SHM_LOCK != 0, handle.system.space.isBusy() { return SQLITE_BUSY }
            return handle.file.sharedMemory.lock(from: offset, count: count, flags: flags, &handle.claim)
        }
        methods.xShmBarrier = { _ in atomicMemoryFence(ordering: .sequentiallyConsistent) }
        methods.xShmUnmap = { file, _ in
            guard let handle = OpenFile.from(file) else { return SQLITE_IOERR }
            handle.file.sharedMemory.detach(&handle.claim)
            return SQLITE_OK
        }
    }

    private static func read(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeMutableRawPointer?, _ count: Int32,
        _ offset: Int64
    ) -> Int32 {
        guard let handle = OpenFile.from(file), count >= 0, offset >= 0 else { return ResultCode.read }
        let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
        do throws(OverlayError) {
            try handle.system.space.begin(.read)
            return try handle.file.read(into: buffer, at: Int(offset)) ? SQLITE_OK : ResultCode.shortRead
        } catch {
            handle.system.space.note(error)
            return ResultCode.read
        }
    }

    /// The largest file that 32-bit block numbers can address.
    private static let sizeLimit = Int64(UInt32.max) * Int64(Block.size)

    private static func change(
        _ file: UnsafeMutablePointer<sqlite3_file>?, upTo end: Int64, grows: Bool,
        _ body: (OpenFile) throws(OverlayError) -> Void
    ) -> Int32 {
        guard let handle = OpenFile.from(file), end >= 0 else { return ResultCode.write }
        guard end <= sizeLimit else { return SQLITE_FULL }
        do throws(OverlayError) {
            try handle.system.space.begin(.write)
            if grows, handle.system.space.hasFaults, end > handle.file.size {
                try handle.system.space.begin(.growth)
            }
            try body(handle)
            return SQLITE_OK
        } catch {
            handle.system.space.note(error)
            switch error {
            case .spillFailed, .writtenTooMuch: return SQLITE_FULL
            default: break
            }
            return ResultCode.write
        }
    }
}
