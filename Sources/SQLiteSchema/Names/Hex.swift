extension Sequence<UInt8> {
    /// The bytes in hexadecimal digits, two for each.
    package var hex: String {
        var digits: [UInt8] = []
        Array(self).appendHex(to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends two digits a byte; without branches and checks, the compiler does many at once.
    package func appendHex(to out: inout [UInt8]) {
        func digit(_ number: UInt8) -> UInt8 { 48 + number + (number > 9 ? 39 : 0) }
        let start = out.count
        out += repeatElement(0, count: 2 * count)
        out.withUnsafeMutableBufferPointer { out in
            withUnsafeBufferPointer { own in
                for index in own.indices {
                    out[start &+ 2 &* index] = digit(own[index] >> 4)
                    out[start &+ 2 &* index &+ 1] = digit(own[index] & 15)
                }
            }
        }
    }
}
