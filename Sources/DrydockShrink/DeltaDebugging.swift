import DrydockReplay
import DrydockVerify

/// Leaves out as many elements as it can: half of them at once, then quarters, at last one by one
/// (https://www.st.cs.uni-saarland.de/papers/tse2002/).
/// - Parameter shows: whether fewer elements still show what all of them do.
func fewest<Element>(
    of all: [Element], showing shows: ([Element]) async throws -> Bool
) async throws -> [Element] {
    var left = all
    var size = max(1, left.count / 2)
    while !left.isEmpty {
        var (start, hasShrunk) = (0, false)
        while start < left.count {
            var fewer = left
            fewer.removeSubrange(start..<min(start + size, left.count))
            if try await shows(fewer) {
                (left, hasShrunk) = (fewer, true)
            } else {
                start += size
            }
        }
        // One may be needed only by another that has gone since.
        if size == 1, !hasShrunk { break }
        size = max(1, size / 2)
    }
    return left
}
