import CLandlock
import DrydockFiles
import Foundation

/// What a project's own command may write, where the system can see to that: by Landlock on Linux, by sandbox-exec(1) on
/// macOS.
package struct WriteLimits: Sendable {
    /// The folders, and files, as real paths.
    let writable: [String]

    /// Whether this system keeps a command within them.
    static var isSupported: Bool {
        #if os(Linux)
        clandlock_version() > 0
        #elseif os(macOS)
        access(sandbox, X_OK) == 0
        #else
        false
        #endif
    }

    /// What every program may write, beside folders that others use too.
    private static let devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts"]
    /// Folders in which programs put what nobody keeps.
    private static let shared = ["/tmp", "/var/tmp", "/dev/shm"]

    /// - Parameters:
    ///   - own: the folder of the private copy.
    ///   - granted: what the project lets its command write.
    ///   - kept: files and folders that may not change: a shared folder that has one of them is not writable.
    init(own: String, granted: [String], kept: [String]) {
        let shared = Set(Self.shared + [FileManager.default.temporaryDirectory.path]).map(
            FolderListing.realPath)
        let free = shared.filter { folder in
            !kept.contains { $0 == folder || $0.hasPrefix(folder == "/" ? "/" : folder + "/") }
        }
        writable = Self.devices + [own] + free + granted.map(FolderListing.realPath)
    }

    #if os(macOS)
    private static let sandbox = "/usr/bin/sandbox-exec"

    /// Returns what is started for a command line.
    func arguments(_ command: [String]) -> [String] {
        guard Self.isSupported else { return command }
        let paths = writable.map { path in
            "(subpath \"" + path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\")"
        }
        let profile =
            "(version 1)(allow default)(deny file-write*)(allow file-write* \(paths.joined(separator: " ")))"
        return [Self.sandbox, "-p", profile] + command
    }

    /// Returns what a function that starts a process returns; sandbox-exec keeps the limits.
    static func run(within limits: WriteLimits?, _ start: () -> Int32) throws -> Int32 { start() }
    #else
    /// Returns what is started for a command line.
    func arguments(_ command: [String]) -> [String] { command }

    /// Returns what a function that starts a process returns. It runs on a thread of its own, which gives up its rights and
    /// ends at once: a thread that is started by a limited one is limited too, and must not be one that others use later.
    /// - Throws: ``FileFault``.
    static func run(within limits: WriteLimits?, _ start: () -> Int32) throws -> Int32 {
        guard let limits, isSupported else { return start() }
        let paths = limits.writable.map { strdup($0) }
        defer { for path in paths { free(path) } }
        return try withoutActuallyEscaping(start) { start in
            let work = Start(paths: paths.map { UnsafePointer($0) }, start: start)
            var thread = pthread_t()
            let argument = Unmanaged.passUnretained(work).toOpaque()
            let code = pthread_create(&thread, nil, { Start.run($0) }, argument)
            guard code == 0 else { throw FileFault(code: code) }
            pthread_join(thread, nil)
            guard work.refusal == 0 else {
                throw FileFault(
                    "the system does not limit what it may write: \(FolderListing.describe(work.refusal))")
            }
            return work.result
        }
    }

    /// What the thread does, and what came of it.
    private final class Start {
        let paths: [UnsafePointer<CChar>?]
        let start: () -> Int32
        var refusal = Int32(0)
        var result = Int32(0)

        init(paths: [UnsafePointer<CChar>?], start: @escaping () -> Int32) {
            (self.paths, self.start) = (paths, start)
        }

        static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let argument else { return nil }
            let work = Unmanaged<Start>.fromOpaque(argument).takeUnretainedValue()
            work.refusal = clandlock_restrict_writes(work.paths, Int32(work.paths.count))
            if work.refusal == 0 { work.result = work.start() }
            return nil
        }
    }
    #endif
}
