import Crypto
import Foundation

/// Values in files of the user's cache folder: what cannot be read or written is found out again.
///
/// A file begins with the SHA-256 of its name and what follows, so that neither a bad disk nor a file that was cut
/// short, edited or renamed is taken for an answer. Whoever may write the folder can still make one up: it is
/// readable and writable by its owner alone.
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

    /// A reader sees the old file or the new one.
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
