import Foundation
import Testing

@testable import SQLiteFile

/// What of a log SQLite passes over.
@Suite struct LogDamageTests {
    private static func damage(_ log: [UInt8]) -> LogDamage? {
        let memory = Memory(log)
        return withExtendedLifetime(memory) { LogDamage(UnsafeRawBufferPointer(memory.bytes)) }
    }

    /// Begun anew over old frames, with a transaction that was rolled back behind the last commit, cut off anywhere.
    @Test(arguments: seeds(20, soak: 1000)) func aLogAsSQLiteLeavesItHasNone(seed: Int) throws {
        var random = Random(seed: seed)
        let (_, _, log) = try WriteAheadLogTests.make(seed, Folder())
        #expect(Self.damage(log) == nil, "seed \(seed)")
        #expect(Self.damage(Array(log.prefix(random.int(0...log.count)))) == nil, "seed \(seed)")
        #expect(Self.damage([UInt8](repeating: 0, count: log.count)) == nil)
    }

    @Test(arguments: seeds(20, soak: 1000)) func aWrongBitOfTheHeaderHidesEveryFrame(seed: Int) throws {
        var random = Random(seed: seed)
        var (_, _, log) = try WriteAheadLogTests.make(seed, Folder())
        let pageSize = log[8..<12].reduce(0) { $0 << 8 | Int($1) }
        let frames = (log.count - 32) / (24 + pageSize)
        guard frames > 0 else { return }
        let place = random.int(0...31)
        log[place] ^= UInt8(1 << random.int(0...7))
        // The last bit of the magic number is the byte order of checksums, which the checksum tells; the version is
        // refused by SQLite before.
        #expect(Self.damage(log) == .header(frames: frames), "seed \(seed) at \(place)")
    }

    @Test(arguments: seeds(20, soak: 1000)) func aWrongByteOfAPageHidesTheCommitsBehindIt(seed: Int) throws {
        var random = Random(seed: seed)
        var (_, _, log) = try WriteAheadLogTests.make(seed, Folder())
        let memory = Memory(log)
        let read = try WriteAheadLog(UnsafeRawBufferPointer(memory.bytes))
        guard let read, read.frameCount > 0 else { return }
        let frame = random.int(0...(read.frameCount - 1))
        log[32 + frame * (24 + read.pageSize) + 24 + random.int(0...(read.pageSize - 1))] ^= 0x20
        guard case .frame(let number, let commits)? = Self.damage(log) else {
            Issue.record("seed \(seed): nothing is found")
            return
        }
        #expect(number == frame + 1 && commits > 0, "seed \(seed)")
    }
}
