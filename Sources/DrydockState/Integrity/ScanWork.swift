import DatabaseEngine
import Foundation
import OverlayVFS
import SQLiteFile
import SQLiteSchema
import Synchronization

/// The trees of a file in parts, which several threads check, and the chunks of what is hashed on the way.
struct ScanWork: Sendable {
    /// What was seen of a tree.
    struct Seen: Sendable {
        /// For each index of a table, or for the index itself.
        fileprivate(set) var sums: [RowSum] = []
        /// Whether a row may break a constraint.
        fileprivate(set) var isDoubtful = false
        fileprivate var leafDepth: Int?

        /// - Throws: ``FileDamage``.
        fileprivate mutating func add(_ other: Seen, root: UInt32) throws(FileDamage) {
            isDoubtful = isDoubtful || other.isDoubtful
            guard leafDepth == nil || other.leafDepth == nil || leafDepth == other.leafDepth else {
                throw FileDamage(root, .treeDepth)
            }
            leafDepth = leafDepth ?? other.leafDepth
            for index in sums.indices { sums[index].add(other.sums[index]) }
        }
    }

    /// What was seen of the file.
    struct Found: Sendable {
        fileprivate(set) var trees: [Seen]
        /// The pages of all trees.
        var parents: PageParents
    }

    private enum Item: Sendable {
        case part(Subtree, ofTree: Int)
        case chunk(Int)
    }

    private let file: DatabaseFile
    private let trees: [ScannedTree]
    private let hashing: ContentHashing?
    private let items: [Item]
    private let uses: PageUses
    private let key = RowHash.Key()

    /// How many parts a large tree has at least, so that no thread is left with the last one for long.
    private static let partsOfTree = 64
    /// How often the calling thread looks whether it must stop.
    private static let interval = Duration.milliseconds(20)

    /// - Parameter hashing: what is hashed in the same pass.
    /// - Throws: ``FileDamage``.
    init(_ file: DatabaseFile, _ trees: [ScannedTree], hashing: ContentHashing? = nil) throws(FileDamage) {
        (self.file, self.trees, self.hashing, uses) = (file, trees, hashing, PageUses(file))
        // In the order of the file: what is hashed is checked while it is in the processor's cache.
        var items = (0..<(hashing?.chunkCount ?? 0)).map {
            (offset: $0 * ContentHashing.chunkSize, item: Item.chunk($0))
        }
        for (number, tree) in trees.enumerated() {
            for part in try Subtree.parts(of: tree.root, in: file, atLeast: Self.partsOfTree) {
                items.append((Int(part.page) * file.header.pageSize, .part(part, ofTree: number)))
            }
        }
        self.items = items.sorted { $0.offset < $1.offset }.map(\.item)
    }

    /// - Parameter check: called on this thread now and then; throws if the work must stop.
    /// - Throws: ``FileDamage``, and what `check` throws.
    func run(_ check: () throws -> Void) throws -> Found {
        let progress = Progress(items: items.count)
        let helpers = max(0, min(ProcessInfo.processInfo.activeProcessorCount, items.count) - 1)
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<helpers {
            Thread.detachNewThread {
                work(progress) {}
                ended.signal()
            }
        }
        var next = ContinuousClock.now + Self.interval
        work(progress) {
            guard ContinuousClock.now >= next else { return }
            next = .now + Self.interval
            try check()
        }
        for _ in 0..<helpers { ended.wait() }
        let shares = try progress.shares()
        var found = Found(trees: trees.map(Self.seen), parents: uses.all)
        for (number, seen) in shares.joined() { try found.trees[number].add(seen, root: trees[number].root) }
        return found
    }

    /// Returns what is known of a tree before it is read.
    private static func seen(_ tree: ScannedTree) -> Seen {
        switch tree.content {
        case .pages, .unknown: Seen()
        case .rows(let table): Seen(sums: table.indexes.map { _ in RowSum() })
        case .entries: Seen(sums: [RowSum()])
        }
    }

    /// Checks parts until none is left.
    private func work(_ progress: Progress, _ check: () throws -> Void) {
        var share: Progress.Share = [:]
        while let number = progress.next() {
            do {
                try check()
                switch items[number] {
                case .chunk(let chunk): try hashing?.hash(chunk: chunk)
                case .part(let part, let tree):
                    var seen = share.removeValue(forKey: tree) ?? Self.seen(trees[tree])
                    try scan(part, of: trees[tree], &seen)
                    share[tree] = seen
                }
            } catch {
                return progress.fail(number, error)
            }
        }
        progress.add(share)
    }

    private func scan(_ part: Subtree, of tree: ScannedTree, _ seen: inout Seen) throws {
        let (file, encoding, key) = (file, file.header.encoding, key)
        var (order, unique): (KeyOrder?, KeyOrder?)
        switch tree.content {
        case .pages, .unknown: break
        case .rows(let table): order = table.order
        case .entries(let index, _): (order, unique) = (index.order, index.unique)
        }
        var check = TreeCheck(
            file, part, holdsRowids: tree.holdsRowids, order: order, unique: unique, uses: uses)
        var buffer = PayloadBuffer()
        var fields: [Field] = []
        var (sums, isDoubtful) = (seen.sums, seen.isDoubtful)
        seen.sums = []
        _ = try check.run(while: { true }) { entry in
            if case .unknown = tree.content { return }
            try RecordReader.read(
                try file.bytes(of: entry.payload, in: &buffer), page: entry.payload.page, into: &fields)
            switch tree.content {
            case .pages, .unknown: break
            case .rows(let table):
                if !isDoubtful { isDoubtful = !table.read(entry.rowid, fields, encoding, key, &sums) }
            case .entries(let index, _):
                guard fields.count == index.columnCount else {
                    throw FileDamage(entry.payload.page, .recordLength)
                }
                var hash = RowHash(key)
                for field in fields { hash.add(field) }
                sums[0].add(hash)
            }
        }
        if let depth = seen.leafDepth, let other = check.leafDepth, depth != other {
            throw FileDamage(tree.root, .treeDepth)
        }
        seen = Seen(sums: sums, isDoubtful: isDoubtful, leafDepth: seen.leafDepth ?? check.leafDepth)
    }
}

/// How far the threads have come.
private final class Progress: Sendable {
    /// What one thread has seen of trees.
    typealias Share = [Int: ScanWork.Seen]

    private struct State {
        var next = 0
        var end: Int
        var shares: [Share] = []
        var error: (any Error)?
    }

    private let state: Mutex<State>

    init(items: Int) { state = Mutex(State(end: items)) }

    /// Returns the number of the next part; nil after the last, and behind one that is damaged.
    func next() -> Int? {
        state.withLock { state in
            guard state.next < state.end else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Keeps the fault of the first part that has one, so that each run says the same.
    func fail(_ number: Int, _ error: any Error) {
        state.withLock { state in
            guard number < state.end else { return }
            (state.end, state.error) = (number, error)
        }
    }

    func add(_ share: Share) { state.withLock { $0.shares.append(share) } }

    /// - Throws: what made a part fail.
    func shares() throws -> [Share] {
        try state.withLock { state in
            if let error = state.error { throw error }
            return state.shares
        }
    }
}
