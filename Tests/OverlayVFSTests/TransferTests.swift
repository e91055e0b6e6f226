import Foundation
import TestTools
import Testing

@testable import OverlayVFS

/// Images that go to another process and back are the same there, whatever was written, cut off and written again.
@Suite struct TransferTests {
    @Test(arguments: seeds(60, of: 199))
    func aTransferredImageIsTheSame(_ seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let folder = FileManager.default.temporaryDirectory.path + "/drydock-transfer-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let base = folder + "/base"
        let blocks = Int.random(in: 0...6, using: &random)
        let bytes = (0..<blocks * 4096 + Int.random(in: 0...1, using: &random) * 512).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        try Data(bytes).write(to: URL(filePath: base))
        let start = try Image(base: seed % 5 == 0 ? nil : base, named: "a")
        let first = try change(start, &random)
        // The other side has the file, and gets what differs.
        try first.write(to: folder + "/there", since: nil)
        let there = try Image(
            transferred: folder + "/there", since: try Image(base: first.basePath, named: "a"))
        #expect(try content(there) == content(first))
        // And back: this side has the state that went there.
        let second = try change(there, &random)
        try second.write(to: folder + "/back", since: there)
        let back = try Image(transferred: folder + "/back", since: first)
        #expect(try content(back) == content(second))
        let third = try change(back, &random)
        try third.write(to: folder + "/on", since: back)
        #expect(try content(Image(transferred: folder + "/on", since: back)) == content(third))
    }

    @Test(arguments: [0, 15, 16 + 7, 16 + 4100 - 1])
    func aCutFileIsRefused(_ count: Int) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/drydock-transfer-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(repeating: 1, count: count).write(to: URL(filePath: folder + "/cut"))
        #expect(throws: OverlayError.self) {
            try Image(transferred: folder + "/cut", since: try Image(base: nil, named: "a"))
        }
    }

    private func content(_ image: Image) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: image.byteCount)
        try bytes.withUnsafeMutableBytes { try image.read(into: $0, at: 0) }
        return bytes
    }

    /// Writes, cuts and grows the main file as SQLite may.
    private func change(_ image: Image, _ random: inout SeededGenerator) throws -> Image {
        let store = BlockStore(memoryLimit: 1 << 20)
        let file = OverlayFile(image.main, store: store)
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let offset =
                Int.random(in: 0...8, using: &random) * 4096 + Int.random(in: 0...1, using: &random) * 512
            if Bool.random(using: &random) {
                let bytes = [UInt8](repeating: .random(in: 0...255, using: &random), count: 512)
                try bytes.withUnsafeBytes { try file.write($0, at: offset) }
            } else {
                try file.truncate(to: min(offset, file.size))
            }
        }
        return Image(
            path: image.path, files: [image.path: file.freeze().after], bases: image.bases)
    }
}
