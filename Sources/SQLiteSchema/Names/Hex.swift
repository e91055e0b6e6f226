extension Sequence<UInt8> {
    /// The bytes in hexadecimal digits, two for each.
    package var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        let pairs = flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: pairs, as: UTF8.self)
    }
}
