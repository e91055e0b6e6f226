import Foundation

/// Values in files of the user's cache folder: what cannot be read or written is found out again.
struct CacheFiles: Sendable {
    let folder: String

    func read<Value: Decodable>(_ name: String) -> Value? {
        guard let data = try? Data(contentsOf: url(name)) else { return nil }
        return try? PropertyListDecoder().decode(Value.self, from: data)
    }

    /// A reader sees the old file or the new one.
    func write(_ value: some Encodable, to name: String) {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard let data = try? encoder.encode(value) else { return }
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? data.write(to: url(name), options: .atomic)
    }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: folder).appending(path: name) }
}
