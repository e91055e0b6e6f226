import Crypto
import Foundation

/// Values in files of the user's cache folder. A value that cannot be read or written is computed again.
///
/// A file begins with the SHA-256 of its name and content, so that a file that was damaged, cut short, edited or
/// renamed is not used. Whoever can write to the folder can still forge a file: the folder is readable and writable
/// only by its owner.
package struct CacheFiles: Sendable {
    let folder: String

    package init(folder: String) {
        self.folder = folder
    }

    func read<Value: Decodable>(_ name: String) -> Value? {
        guard let data = try? Data(contentsOf: url(name)), data.count > SHA256.byteCount else { return nil }
        let content = data.dropFirst(SHA256.byteCount)
        guard Self.checksum(of: content, name) == data.prefix(SHA256.byteCount) else { return nil }
        return try? PropertyListDecoder().decode(Value.self, from: Data(content))
    }

    /// Writes a value atomically: a reader sees the old file or the new one.
    func write(_ value: some Encodable, to name: String) {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard let content = try? encoder.encode(value) else { return }
        let data = Self.checksum(of: content, name) + content
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? data.write(to: url(name), options: .atomic)
    }

    private static func checksum(of content: Data, _ name: String) -> Data {
        var hash = SHA256()
        hash.update(data: Data("\(name)\n".utf8))
        hash.update(data: content)
        return Data(hash.finalize())
    }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: folder).appending(path: name) }
}
