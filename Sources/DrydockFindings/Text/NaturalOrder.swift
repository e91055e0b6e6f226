/// Returns whether a name sorts before another as people count: `v2` before `v10`, letters without case.
///
/// Runs of digits compare by value, however long, then the rest byte by byte. Names that differ only in
/// case or in leading zeros fall back to their bytes, so the order is total.
public func naturallyPrecedes(_ a: String, _ b: String) -> Bool {
    let (x, y) = (Array(a.utf8), Array(b.utf8))
    var (i, j) = (0, 0)
    while i < x.count, j < y.count {
        if isDigit(x[i]), isDigit(y[j]) {
            let (m, n) = (digits(of: x, from: &i), digits(of: y, from: &j))
            if m.count != n.count { return m.count < n.count }
            if m != n { return m.lexicographicallyPrecedes(n) }
        } else {
            let (p, q) = (folded(x[i]), folded(y[j]))
            if p != q { return p < q }
            i += 1
            j += 1
        }
    }
    if i < x.count || j < y.count { return i == x.count }
    return x.lexicographicallyPrecedes(y)
}

private func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

private func folded(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

/// Returns the run of digits at an index, without leading zeros; moves the index past it.
private func digits(of bytes: [UInt8], from index: inout Int) -> ArraySlice<UInt8> {
    let start = index
    while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    return bytes[start..<index].drop { $0 == 48 }
}
