/// Masks numbers: their sign and how many digits they have stay, and zero does.
struct NumberMask: Sendable {
    let cipher: MaskCipher

    func mask(_ number: Int64) -> Int64 {
        guard number != 0, number != .min else { return number }
        let masked = Int64(magnitude(number.magnitude))
        return number < 0 ? -masked : masked
    }

    /// Masks a number from 1 to that of 64 bits with a sign.
    private func magnitude(_ number: UInt64) -> UInt64 {
        var lowest: UInt64 = 1
        while lowest <= number / 10 { lowest *= 10 }
        let highest = lowest > UInt64(Int64.max) / 10 ? UInt64(Int64.max) : lowest * 10 - 1
        return lowest + cipher.permuted(number - lowest, below: highest - lowest + 1, "number")
    }

    func mask(_ number: Double) -> Double {
        guard number.isFinite, number != 0 else { return number }
        let kind = Kind(number)
        var result = number
        // Again until the result is of the same kind, so that no two numbers get the same. Each time as that kind: only
        // what permutes all numbers of it comes back to them.
        repeat { result = once(result, as: kind) } while Kind(result) != kind
        return result
    }

    private enum Kind: Hashable {
        case whole, decimal, other

        init(_ number: Double) {
            if number == number.rounded(), number.magnitude < 1e15 {
                self = .whole
            } else {
                let text = "\(number)"
                self =
                    !text.contains("e") && text.utf8.count { (48...57).contains($0) } <= 15
                    ? .decimal : .other
            }
        }
    }

    private func once(_ number: Double, as kind: Kind) -> Double {
        switch kind {
        case .whole: Double(mask(Int64(number)))
        case .decimal: Double(String(decoding: decimal(Array("\(number)".utf8)), as: UTF8.self)) ?? number
        case .other:
            // The exponent stays, and so does the magnitude.
            Double(
                sign: number.sign, exponentBitPattern: number.exponentBitPattern,
                significandBitPattern: cipher.permuted(
                    number.significandBitPattern, below: 1 << 52, "significand"))
        }
    }

    /// Masks a decimal number that is written with digits, a sign and a point. Zeros around it stay; a whole number
    /// gets the same digits as the number itself.
    func decimal(_ text: [UInt8]) -> [UInt8] {
        let zero = UInt8(ascii: "0")
        let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.count
        guard let first = text.firstIndex(where: { ($0 > zero) && ($0 <= 57) }) else { return text }
        var last = text.count - 1
        if point < text.count { while last > point, text[last] == zero { last -= 1 } }
        if last <= point {
            last = point - 1
            let digits = String(decoding: text[first...last], as: UTF8.self)
            if let number = Int64(digits) {
                return text[..<first] + Array("\(mask(number))".utf8) + text[(last + 1)...]
            }
        }
        let places = (first...last).filter { text[$0] >= zero && text[$0] <= 57 }
        let isFraction = last > point
        // The first digit is not zero, and neither is the last after a point.
        let bases = places.map { $0 == first || isFraction && $0 == last ? UInt32(1) : 0 }
        let masked = cipher.permuted(
            zip(places, bases).map { UInt32(text[$0] - zero) - $1 }, bases.map { 10 - $0 },
            "digits \(isFraction)")
        var result = text
        for (place, (digit, base)) in zip(places, zip(masked, bases)) {
            result[place] = zero + UInt8(digit + base)
        }
        return result
    }

    // MARK: - With their order

    /// Masks a number so that a greater one stays greater.
    /// - Returns: nil for a number that is too large for that.
    func ordered(_ number: Int64) -> Int64? {
        let size = number.magnitude
        guard size < 1 << 61 else { return nil }
        guard size > 0 else { return 0 }
        let grown = size + (size >> 16) * slope + ((size & 0xffff) * slope) >> 16 + offset
        return number < 0 ? -Int64(grown) : Int64(grown)
    }

    func ordered(_ number: Double) -> Double? {
        guard number.isFinite else { return number }
        guard number.magnitude < 1e15 else { return nil }
        let below = number.rounded(.down)
        guard let low = ordered(Int64(below)) else { return nil }
        guard number != below, let high = ordered(Int64(below) + 1) else { return Double(low) }
        return Double(low) + (number - below) * Double(high - low)
    }

    /// By how many parts of 65,536 numbers grow, from a tenth to a half.
    private var slope: UInt64 { 6554 + cipher.constant("slope", below: 26_214) }
    private var offset: UInt64 { 1 + cipher.constant("offset", below: 8) }
}
