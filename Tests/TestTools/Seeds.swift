import Foundation

/// Returns the seeds of a property test: a few of a range on which it has passed.
///
/// The few begin where `DRYDOCK_SEEDS_FROM` says, which Scripts/test sets to the number of the commit, so that each
/// commit tries others; behind the end of the range they go on at its beginning. `make soak` takes the whole range and
/// goes on beyond it; what has passed there belongs in the range, so that nothing fails by luck. `DRYDOCK_SEED` names
/// the seeds to try instead: `517`, or `7-9,12`.
///
///     @Test(arguments: seeds(40, of: 2_000)) func everyTreeIsRead(seed: Int) { … }
///
/// - Parameter known: seeds that once found a fault, which every run tries.
package func seeds(_ few: Int, of range: Int, soak: Int = 0, known: [Int] = []) -> [Int] {
    let environment = ProcessInfo.processInfo.environment
    if isAsked { return numbers(in: environment["DRYDOCK_SEED"] ?? "") }
    let whole = isSoak ? max(range, soak) : range
    if isSoak || few >= range { return Array(1...whole) + known.filter { $0 > whole } }
    let start = environment["DRYDOCK_SEEDS_FROM"].flatMap { Int($0) } ?? 0
    let moved = (0..<few).map { (start % range + $0) % range + 1 }
    return known + moved.filter { !known.contains($0) }
}

/// Returns some of many cases of one kind, other ones with each commit; with `make soak`, and where seeds are named, all.
///
/// They are drawn, and not counted off, since cases come as products: each fourth would have one setting alone.
///
///     @Test(arguments: few(12, of: cases)) func nothingIsLost(_ it: Case) { … }
package func few<Case>(_ count: Int, of cases: [Case]) -> [Case] {
    if isSoak || isAsked { return cases }
    let start = ProcessInfo.processInfo.environment["DRYDOCK_SEEDS_FROM"].flatMap { UInt64($0) } ?? 0
    var generator = SeededGenerator(seed: start)
    return cases.indices.shuffled(using: &generator).prefix(count).sorted().map { cases[$0] }
}

/// Returns every pair of two lists, as Swift Testing makes them of two arguments.
package func pairs<A, B>(_ first: [A], _ second: [B]) -> [(A, B)] {
    first.flatMap { a in second.map { (a, $0) } }
}

/// Whether property tests take the whole of their ranges.
package let isSoak = ProcessInfo.processInfo.environment["DRYDOCK_SOAK"] == "1"

/// Whether `DRYDOCK_SEED` names the seeds.
package let isAsked = !numbers(in: ProcessInfo.processInfo.environment["DRYDOCK_SEED"] ?? "").isEmpty

/// Returns the numbers of a list such as `7-9,12`.
private func numbers(in list: String) -> [Int] {
    list.split(separator: ",").flatMap { part -> [Int] in
        let ends = part.split(separator: "-").compactMap { Int($0) }
        guard let first = ends.first, let last = ends.last else { return [] }
        return Array(first...max(first, last))
    }
}
