import DatabaseEngine
import Foundation
import OverlayVFS

/// A program of the system that decompresses its standard input: `gzip`, `xz` or `zstd`.
///
/// It gets an open file and neither a name nor a place to write to, so that nothing in a file's name or content can
/// make it touch the disk.
struct DecompressionTool {
    let name: String
    /// What keeps a file from asking for more memory than any usual one needs.
    private let options: [String]

    static let gzip = DecompressionTool(name: "gzip", options: [])
    static let xz = DecompressionTool(name: "xz", options: ["--memlimit-decompress=1GiB"])
    static let zstd = DecompressionTool(name: "zstd", options: ["--memory=1024MB"])

    /// The folders in which tools are searched; nil for those of `PATH`. For tests.
    @TaskLocal static var folders: [String]?

    /// Whether the tool did its work, and what it said otherwise.
    enum Outcome {
        case done
        case failed(String)
        /// There is more than the limit.
        case overLimit
    }

    /// Returns the tool's path; nil if it is not installed.
    func find() -> String? {
        let named = ProcessInfo.processInfo.environment["PATH"]
        let folders = Self.folders ?? named?.split(separator: ":").map(String.init) ?? ["/usr/bin", "/bin"]
        // A relative folder would run a program of the project that is checked.
        return folders.filter { $0.hasPrefix("/") }.map { $0 + "/" + name }.first {
            access($0, X_OK) == 0 && !FolderListing.isFolder($0)
        }
    }

    /// Decompresses a file.
    /// - Parameters:
    ///   - path: the tool's path.
    ///   - input: a descriptor at the start of what is compressed.
    ///   - output: where the content goes.
    ///   - limit: the most bytes that are written.
    ///   - isStopped: whether the run is to end.
    /// - Throws: ``OverlayError`` if the disk is full, ``EngineError`` if the run was stopped, ``FileFault`` if the tool
    ///   cannot be started.
    func run(
        _ path: String, input: Int32, output: PrivateFile, limit: Int, isStopped: () -> Bool
    ) throws -> Outcome {
        let errors = try PrivateFile()
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FileFault(FolderListing.describe(errno)) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let child: pid_t
        do {
            defer { close(ends[1]) }
            child = try spawn(path, [input, ends[1], errors.descriptor])
        }
        var status: Int32?
        defer {
            if status == nil {
                kill(child, SIGKILL)
                _ = Self.wait(for: child)
            }
        }
        guard try copy(from: ends[0], to: output, limit: limit, isStopped) else { return .overLimit }
        let end = Self.wait(for: child)
        status = end
        return end == 0 ? .done : .failed(message(in: errors))
    }

    private func spawn(_ path: String, _ descriptors: [Int32]) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        // The tools take options from variables as well, and translate their messages.
        let own = ["GZIP", "XZ_", "ZSTD_", "LC_", "LANG"]
        let environment = ProcessInfo.processInfo.environment.filter { pair in
            !own.contains { pair.key.hasPrefix($0) }
        }
        var arguments = ([name, "-dc"] + options).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, path, &actions, nil, &arguments, &variables)
        guard code == 0 else { throw FileFault(FolderListing.describe(code)) }
        return child
    }

    /// Returns whether everything was copied; false if there is more than the limit.
    private func copy(
        from pipe: Int32, to output: PrivateFile, limit: Int, _ isStopped: () -> Bool
    ) throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            if isStopped() { throw EngineError(.interrupted, "interrupted") }
            var event = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            let ready = poll(&event, 1, 100)
            if ready == 0 || ready < 0 && errno == EINTR { continue }
            let count = read(pipe, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFault(FolderListing.describe(errno)) }
            if count == 0 { return true }
            guard count <= limit - output.size else { return false }
            try buffer.withUnsafeBytes { try output.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }

    private static func wait(for child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Returns what the tool wrote to its standard error, in one line, without what it calls its input.
    private func message(in file: PrivateFile) -> String {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = pread(file.descriptor, &bytes, bytes.count, 0)
        var text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        for word in ["\(name): ", "(stdin): ", "stdin: ", "/*stdin*\\ : ", "/*stdin*\\: "] {
            text = text.replacing(word, with: "")
        }
        let lines = text.split { $0.isNewline || $0 == "\r" }
        let line = lines.map { $0.trimmingCharacters(in: .whitespaces) }.first { !$0.isEmpty }
        return line ?? "\(name) failed"
    }
}
