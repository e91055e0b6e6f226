import Testing

@testable import Drydock

/// Against the examples of the standards.
@Suite struct ChecksumTests {
    @Test func sha256() {
        #expect(
            SHA256.digest(of: Array("abc".utf8)).hex
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            SHA256.digest(of: []).hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        #expect(
            SHA256.digest(of: Array(long.utf8)).hex
                == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        let million = [UInt8](repeating: UInt8(ascii: "a"), count: 100_000)
        #expect(
            SHA256.digest(of: million).hex
                == "6d1cf22d7cc09b085dfc25ee1a1f3ae0265804c607bc2074ad253bcc82fd81ee")
    }

    @Test func sha384() {
        #expect(
            SHA384.digest(of: Array("abc".utf8)).hex
                == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        )
        #expect(
            SHA384.digest(of: [UInt8](repeating: 97, count: 239)).hex
                == "e247c35f4bc1aa38026f8880c8c97305545d00d3f859e00c57d1c1f0a176b3c6b749c4eb081f08bd0fba500969cd056a"
        )
    }

    @Test func crc32() {
        var sum = CRC32()
        sum.update(Array("123456789".utf8))
        #expect(sum.value == 0xcbf4_3926)
    }
}
