import Foundation
import TestTools
import Testing

@testable import SQLiteFile

/// What of a log SQLite passes over.
@Suite struct LogDamageTests {
    private static func damage(_ log: [UInt8]) -> LogDamage? {
        let memory = Memory(log)
        return withExtendedLifetime(memory) { LogDamage(UnsafeRawBufferPointer(memory.bytes)) }
    }

    /// Begun anew over old frames, with a transaction that was rolled back behind the last commit.
    @Test(arguments: seeds(10, of: 20, soak: 1_000)) func aLogAsSQLiteLeavesItHasNone(seed: Int) throws {
        let (_, _, log) = try WriteAheadLogTests.make(seed, Folder())
        #expect(Self.damage(log) == nil, "seed \(seed)")
        #expect(Self.damage([]) == nil)
    }

    /// Between two frames nothing shows that more was written, and old frames are of no account.
    @Test(arguments: seeds(10, of: 20, soak: 1_000)) func aLogThatEndsInTheMiddleOfAFrameIsCut(seed: Int)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let (_, _, log) = try WriteAheadLogTests.make(seed, Folder())
        guard log.count > 32 else { return }
        let frameSize = 24 + log[8..<12].reduce(0) { $0 << 8 | Int($1) }
        for _ in 0..<10 {
            let count = random.int(1...log.count)
            let found = Self.damage(Array(log.prefix(count)))
            guard count >= 32 else {
                #expect(found == .header(frames: 0), "seed \(seed): \(count)")
                continue
            }
            let (number, rest) = (count - 32).quotientAndRemainder(dividingBy: frameSize)
            let salts = { (frame: Int) in
                Array(log[(32 + frame * frameSize + 8)..<(32 + frame * frameSize + 16)])
            }
            let isOwn =
                rest >= 16
                ? salts(number) == Array(log[16..<24])
                : number == 0 || salts(number - 1) == Array(log[16..<24])
            #expect(found == (rest > 0 && isOwn ? .cut(frame: number + 1) : nil), "seed \(seed): \(count)")
        }
    }

    @Test func whatIsNotALogIsDamage() throws {
        let (_, _, log) = try WriteAheadLogTests.make(1, Folder())
        #expect(Self.damage([UInt8](repeating: 0, count: log.count)) == .header(frames: 0))
        #expect(Self.damage([UInt8](repeating: 0, count: 20)) == .header(frames: 0))
        #expect(Self.damage(Array(log.prefix(20))) == .header(frames: 0))
        #expect(Self.damage([7]) == .header(frames: 0))
    }

    /// As after a power cut that kept the file's length and not its bytes.
    @Test(arguments: seeds(4, of: 5, soak: 200)) func zerosBehindTheFramesAreDamage(seed: Int) throws {
        let (_, _, log) = try WriteAheadLogTests.make(seed, Folder())
        guard log.count > 32 else { return }
        let frameSize = 24 + log[8..<12].reduce(0) { $0 << 8 | Int($1) }
        guard case .frame(_, commits: 0)? = Self.damage(log + [UInt8](repeating: 0, count: frameSize)) else {
            Issue.record("seed \(seed): nothing is found")
            return
        }
    }

    @Test(arguments: seeds(10, of: 20, soak: 1_000)) func aWrongBitOfTheHeaderHidesEveryFrame(seed: Int)
        throws
    {
        var random = SeededGenerator(seed: seed)
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

    @Test(arguments: seeds(10, of: 20, soak: 1_000)) func aWrongByteOfAPageHidesTheCommitsBehindIt(seed: Int)
        throws
    {
        var random = SeededGenerator(seed: seed)
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
