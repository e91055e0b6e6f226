import Testing

@testable import DrydockMigrations
@testable import DrydockTestSupport

/// The checksums, compared with the examples of the standards.
@Suite struct ChecksumTests {
    @Test func crc32() {
        var sum = CRC32()
        sum.update(Array("123456789".utf8))
        #expect(sum.value == 0xcbf4_3926)
    }

    /// The bytes 0 to n, as Python 3.11 hashes them with `PYTHONHASHSEED=0`.
    @Test(
        arguments: [
            (1, 0x68a9_1412_8e01_e473),
            (7, 0x2f09_8ab0_c751_325a),
            (8, 0xead4_11e6_7ebe_2eea),
            (9, 0x7592_7f9d_9512_4362),
            (64, 0x75e0_5fd5_bbc8_70c6),
        ] as [(Int, UInt64)])
    func sipHash13(_ count: Int, _ hash: UInt64) {
        #expect(SipHash13.hash((0..<count).map { UInt8($0) }) == hash)
    }
}
