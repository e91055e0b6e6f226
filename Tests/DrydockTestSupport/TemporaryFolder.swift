import Foundation
import TestTools

/// A folder that is deleted with the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/drydock-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    @discardableResult
    func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let path = file(name)
        let folder = URL(filePath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }

    /// Writes a script that can be run. Another process writes it: whatever this one starts meanwhile would hold a file
    /// that is open here, and a file that is open for writing cannot be run (`ETXTBSY`).
    @discardableResult
    func writeProgram(_ name: String, _ script: String) throws -> String {
        let (path, text) = (file(name), try write("\(name).text", script))
        let process = ChildProcess()
        process.executableURL = URL(filePath: "/usr/bin/install")
        process.arguments = ["-m", "755", text, path]
        try process.run()
        process.waitUntilExit()
        return path
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: file(name)) }

    /// Returns every name with its bytes, including those in subfolders.
    func contents() throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            result[name] = FileManager.default.contents(atPath: file(name)) ?? Data()
        }
        return result
    }

    /// Returns the same, read by another process: reading a file in this one drops the locks of its connections.
    func copiedContents() throws -> [String: Data] {
        let copy = try TemporaryFolder()
        let process = ChildProcess()
        process.executableURL = URL(filePath: "/bin/cp")
        process.arguments = ["-R", path + "/.", copy.path]
        try process.run()
        process.waitUntilExit()
        return try copy.contents()
    }
}
