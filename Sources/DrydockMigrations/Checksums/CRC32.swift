/// CRC-32 as in zlib and `java.util.zip.CRC32` (https://www.rfc-editor.org/rfc/rfc1952#section-8), which Flyway
/// records.
package struct CRC32 {
    private var state: UInt32 = 0xffff_ffff

    package init(state: UInt32 = 0xffff_ffff) {
        self.state = state
    }

    package var value: UInt32 { ~state }

    package mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            state ^= UInt32(byte)
            for _ in 0..<8 { state = state & 1 == 1 ? state >> 1 ^ 0xedb8_8320 : state >> 1 }
        }
    }
}
