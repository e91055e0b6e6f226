import CSQLite
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The SQLite library of this process.
public enum SQLiteLibrary {
    /// The oldest version on which the tests pass.
    public static let oldest = (number: Int32(3_034_000), name: "3.34.0")

    /// Why the library cannot be used; nil if it can.
    public static var fault: String? { fault(of: sqlite3_libversion_number(), version) }

    /// The version's name, such as `3.40.1`.
    public static var version: String { String(cString: sqlite3_libversion()) }

    /// Whether `integrity_check` also asks virtual tables about themselves (https://www.sqlite.org/changes.html, 3.44).
    package static var checksVirtualTables: Bool { sqlite3_libversion_number() >= 3_044_000 }

    package static func fault(of number: Int32, _ version: String, at path: String? = Self.path) -> String? {
        guard number < oldest.number else { return nil }
        return
            "SQLite \(version) is too old\(path.map { " (\($0))" } ?? ""): Drydock needs \(oldest.name) or newer. "
            + "Install a newer libsqlite3, or name its folder in LD_LIBRARY_PATH."
    }

    /// Makes the settings that SQLite accepts only before its first use: `file:` names are read as URIs, and
    /// memory can be refused to a statement that must stop. Called whenever a driver is created. If an app
    /// has used SQLite before, the library keeps the app's settings.
    public static func prepare() { _ = isPrepared }

    private static let isPrepared: Void = {
        _ = csqlite_read_uris()
        AllocationGate.install()
    }()

    /// Limits the memory that all connections of the process take together. A statement that needs more fails
    /// with SQLITE_NOMEM; ``EngineError/memoryLimit`` is then set.
    ///
    /// The length of a value keeps SQLite's own limit: below that, `printf()` would give NULL and no error for a text
    /// that is too long (https://www.sqlite.org/c3ref/str_errcode.html), and so other data than in an app.
    /// - Parameter bytes: nil for no limit.
    public static func limitMemory(to bytes: Int?) {
        AllocationGate.limit.store(bytes ?? .max, ordering: .relaxed)
    }

    /// What ``limitMemory(to:)`` set.
    package static var memoryLimit: Int? {
        let limit = AllocationGate.limit.load(ordering: .relaxed)
        return limit == .max ? nil : limit
    }

    /// The check-in that the library was built from (https://www.sqlite.org/c3ref/libversion.html).
    public static var sourceID: String { String(cString: sqlite3_sourceid()) }

    /// Returns a function that older versions lack, if the loaded library has it.
    static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(everywhere, name).map { unsafeBitCast($0, to: type) }
    }

    /// RTLD_DEFAULT, which C defines with a cast.
    private static var everywhere: UnsafeMutableRawPointer? {
        #if canImport(Glibc)
        nil
        #else
        UnsafeMutableRawPointer(bitPattern: -2)
        #endif
    }
}

extension SQLiteLibrary {
    private typealias ErrorOffset = @convention(c) (OpaquePointer?) -> Int32

    /// Since 3.38.
    private static let errorOffset = function("sqlite3_error_offset", as: ErrorOffset.self)

    /// Returns where in its SQL a connection's last error is, in UTF-8 bytes; nil if SQLite does not know or
    /// is too old to say (https://www.sqlite.org/c3ref/error_offset.html).
    package static func errorOffset(on connection: OpaquePointer) -> Int? {
        guard let offset = errorOffset?(connection), offset >= 0 else { return nil }
        return Int(offset)
    }
}

extension SQLiteLibrary {
    /// What `dladdr` fills: a `Dl_info`. Swift's module of the C library hides both, since they are GNU's.
    private struct LoadedImage {
        var file: UnsafePointer<CChar>?
        var base: UnsafeRawPointer?
        var symbol: UnsafePointer<CChar>?
        var address: UnsafeRawPointer?
    }
    private typealias FindImage = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> Int32

    /// The file that the library was loaded from, without links in its folder; nil where the system does not say.
    public static let path: String? = {
        var image = LoadedImage()
        guard let find = function("dladdr", as: FindImage.self),
            let symbol = dlsym(everywhere, "sqlite3_libversion"), find(symbol, &image) != 0,
            let name = image.file.map({ String(cString: $0) }), let slash = name.lastIndex(of: "/")
        else { return nil }
        // The loader keeps `..` and the folders of LD_LIBRARY_PATH as they were written.
        guard let folder = realpath(String(name[...slash]), nil) else { return name }
        defer { free(folder) }
        return String(cString: folder) + name[slash...]
    }()
}
