import Foundation
import TestTools
import Testing

@testable import OverlayVFS

/// A file of the overlay must behave as an array of bytes.
@Suite struct FileModelTests {
    @Test(arguments: seeds(20, of: 40, soak: 20_000)) func actsAsAnArray(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let folder = Folder()
        let bytes = (0..<random.pick([0, 1, 4095, 4096, 20_000, 50_001])).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        let path = folder.file("base")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let store = BlockStore(memoryLimit: seed % 2 == 0 ? 0 : 1 << 20)
        let file = OverlayFile(FileImage(try MappedFile(path: path)), store: store)
        var model = bytes
        var frozen: [(image: FileImage, model: [UInt8])] = []
        for _ in 0..<120 {
            switch random.int(0...9) {
            case 0..<5: try write(&random, file, &model)
            case 5, 6: try cut(&random, file, &model)
            case 7:
                let found = file.freeze()
                if let last = frozen.last { try expectSame(found.before, last.model, seed) }
                frozen.append((found.after, model))
            default: try read(&random, file, model, seed)
            }
            #expect(file.size == model.count, "seed \(seed)")
        }
        frozen.append((file.freeze().after, model))
        for state in frozen { try expectSame(state.image, state.model, seed) }
    }

    /// Pages of a journal that the database has are not stored; that must show nowhere.
    @Test(arguments: seeds(20, of: 40, soak: 20_000)) func aJournalActsAsAnArray(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let store = BlockStore(memoryLimit: 1 << 20)
        let pageSize = random.pick([512, 4096, 8192])
        let database = OverlayFile(.empty, store: store)
        let pages = (0..<12).map { _ in
            (0..<pageSize).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        for (number, page) in pages.enumerated() {
            try page.withUnsafeBytes { try database.write($0, at: number * pageSize) }
        }
        _ = database.freeze()
        let journal = OverlayFile(.empty, store: store, journalOf: database)
        var model: [UInt8] = []
        func append(_ bytes: [UInt8]) throws {
            try bytes.withUnsafeBytes { try journal.write($0, at: model.count) }
            model += bytes
        }
        for _ in 0..<120 {
            switch random.int(0...9) {
            case 0..<5:
                let number = random.int(1...pages.count)
                try append(withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) })
                try append(pages[number - 1])
            case 5: try write(&random, journal, &model)
            case 6: try cut(&random, journal, &model)
            case 7:
                try journal.storePieces()
                try expectSame(journal.freeze().after, model, seed)
            case 8:
                // What the database has by now is not what it had below.
                let number = random.int(0...(pages.count - 1))
                try pages[0].withUnsafeBytes { try database.write($0, at: number * pageSize) }
                if random.chance(20) { _ = database.freeze() }
            default: try read(&random, journal, model, seed)
            }
            #expect(journal.size == model.count, "seed \(seed)")
        }
        try journal.storePieces()
        try expectSame(journal.freeze().after, model, seed)
    }

    private func write(_ random: inout SeededGenerator, _ file: OverlayFile, _ model: inout [UInt8]) throws {
        let offset = random.int(0...(model.count + 9000))
        let count = random.pick([1, 17, 512, 4096, 4097, 13_000])
        // Zeros and repeated bytes, so that blocks sometimes equal their old contents.
        let value: UInt8? = random.pick([0, 7, nil])
        let bytes = (0..<count).map { _ in value ?? UInt8.random(in: 0...255, using: &random) }
        try bytes.withUnsafeBytes { try file.write($0, at: offset) }
        if model.count < offset + count {
            model += [UInt8](repeating: 0, count: offset + count - model.count)
        }
        model.replaceSubrange(offset..<(offset + count), with: bytes)
    }

    private func cut(_ random: inout SeededGenerator, _ file: OverlayFile, _ model: inout [UInt8]) throws {
        let size = random.pick([
            0, random.int(0...(model.count + 3000)), random.int(0...(model.count / 4096)) * 4096,
        ])
        try file.truncate(to: size)
        if size <= model.count {
            model.removeLast(model.count - size)
        } else {
            model += [UInt8](repeating: 0, count: size - model.count)
        }
    }

    private func read(_ random: inout SeededGenerator, _ file: OverlayFile, _ model: [UInt8], _ seed: Int)
        throws
    {
        let offset = random.int(0...(model.count + 5000))
        var bytes = [UInt8](repeating: 0xAA, count: random.pick([1, 100, 4096, 9000]))
        let isWhole = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
        let known = model[min(offset, model.count)..<min(offset + bytes.count, model.count)]
        #expect(isWhole == (known.count == bytes.count), "seed \(seed)")
        #expect(bytes == known + [UInt8](repeating: 0, count: bytes.count - known.count), "seed \(seed)")
    }

    private func expectSame(_ image: FileImage, _ model: [UInt8], _ seed: Int) throws {
        #expect(image.size == model.count, "seed \(seed)")
        var bytes = [UInt8](repeating: 0xAA, count: model.count)
        try bytes.withUnsafeMutableBytes { try image.read(into: $0, at: 0) }
        #expect(bytes == model, "seed \(seed)")
    }

    @Test func reachesBeyondFourGigabytes() throws {
        let folder = Folder()
        let path = folder.file("sparse")
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(truncate(path, 5 << 30) == 0)
        let store = BlockStore(memoryLimit: 1 << 20)
        let file = OverlayFile(FileImage(try MappedFile(path: path)), store: store)
        let far = 9 << 30
        try [UInt8](repeating: 3, count: 5000).withUnsafeBytes { try file.write($0, at: far) }
        try [UInt8](repeating: 4, count: 5000).withUnsafeBytes { try file.write($0, at: (5 << 30) - 2500) }
        var bytes = [UInt8](repeating: 9, count: 5000)
        #expect(try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: far) })
        #expect(bytes.allSatisfy { $0 == 3 })
        #expect(try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: (5 << 30) - 2500) })
        #expect(bytes.allSatisfy { $0 == 4 })
        #expect(file.size == far + 5000)
    }
}
