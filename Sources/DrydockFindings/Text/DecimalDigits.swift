extension [UInt8] {
    /// Appends a number in decimal digits, without making a string of it first.
    ///
    ///     var line: [UInt8] = []
    ///     line.appendDecimal(-12)  // the bytes of "-12"
    package mutating func appendDecimal(_ number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        // 2^64 has 20 digits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var first = digits.count
            repeat {
                first -= 1
                digits.initializeElement(
                    at: first, to: UInt8(truncatingIfNeeded: rest % 10) + UInt8(ascii: "0"))
                rest /= 10
            } while rest > 0
            append(contentsOf: digits[first...])
        }
    }
}
