import Testing

@testable import Drydock

/// Against the examples of the standards.
@Suite struct ChecksumTests {
    @Test func crc32() {
        var sum = CRC32()
        sum.update(Array("123456789".utf8))
        #expect(sum.value == 0xcbf4_3926)
    }
}
