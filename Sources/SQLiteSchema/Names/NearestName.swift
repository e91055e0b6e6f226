/// Returns the candidate closest to a misspelt name, for "did you mean"; nil if none is close.
///
/// Near is at most a third of the name's characters, and one for the shortest names, so that `emial` finds
/// `email` and `id` does not find `at`. ASCII case makes no difference; the name itself is never given. Of equals the first one is taken.
public func nearestName(to name: String, in candidates: [String]) -> String? {
    let wanted = Array(name.foldedASCII.unicodeScalars)
    guard !wanted.isEmpty, wanted.count <= 256 else { return nil }
    var best: (name: String, distance: Int)?
    for candidate in candidates where candidate != name {
        let letters = Array(candidate.foldedASCII.unicodeScalars)
        let limit = max(1, max(wanted.count, min(letters.count, wanted.count * 2)) / 3)
        guard !letters.isEmpty, abs(letters.count - wanted.count) <= limit else { continue }
        let distance = editDistance(wanted, letters)
        if distance <= limit, distance < min(wanted.count, letters.count), distance < best?.distance ?? .max {
            best = (candidate, distance)
        }
    }
    return best?.name
}

/// Returns how many insertions, deletions, substitutions and swaps of neighbours turn one text into the other
/// (the "optimal string alignment" distance), since a swap is the commonest typing error.
private func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        row.reserveCapacity(b.count + 1)
        for j in b.indices {
            var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                cost = min(cost, beforeLast[j - 1] + 1)
            }
            row.append(cost)
        }
        beforeLast = last
        last = row
    }
    return last[b.count]
}
