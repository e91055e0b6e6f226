/// The states of a disk that a kill or a power cut can leave while SQLite writes.
///
/// The model is that of https://www.sqlite.org/atomiccommit.html and of the crash tests of SQLite's test suite
/// (https://www.sqlite.org/testing.html#crash_testing; test6.c). What was written before a file's last sync is on the disk;
/// what was written since may be there or not, in any order; what was created, deleted and truncated, in this order. Of these,
/// the states are:
/// - every prefix of the operations, which is also what a kill leaves;
/// - the last write of a prefix torn: its first sectors are there, for each boundary of a sector of 512 bytes;
/// - nothing since the syncs, or nothing since the sync of one file and everything of the others;
/// - one unsynced operation missing and every other there, before each sync, truncation and deletion, after the last two,
///   and at the end.
///
/// A file's creation or deletion is on the disk at the next sync of any file, a deletion also if SQLite asks for the
/// folder to be synced.
package struct PowerCuts: Sendable {
    /// What is missing of the operations up to a point.
    package enum Missing: Sendable, Hashable {
        /// Nothing: a kill leaves this too.
        case nothing
        /// The end of the last write, from a position in its bytes on.
        case end(from: Int)
        case unsynced
        /// What is not synced of the file of an operation.
        case unsyncedOf(Int)
        /// One operation.
        case operation(Int)
    }

    package struct Cut: Sendable, Hashable {
        /// How many operations had been done.
        package var done: Int
        package var missing: Missing
    }

    /// All of them, in the order of the operations.
    package let cuts: [Cut]
    private let operations: [WriteLog.Operation]
    private let start: Image

    /// Whether a state is made from the one with all writes where that is the shorter way.
    @TaskLocal package static var takesShortcuts = true

    /// - Parameter start: the state before the first operation.
    package init(_ log: WriteLog, from start: Image) {
        operations = log.operations
        self.start = start
        cuts = Self.cuts(operations)
    }

    /// Returns some of the cuts: of each kind between two syncs, truncations or deletions the first and the last, as long as
    /// there is room, and then others evenly spread.
    package func chosen(_ count: Int) -> [Cut] {
        guard count < cuts.count else { return cuts }
        let segments = segments
        var firsts: [Kind: Int] = [:]
        var lasts: [Kind: Int] = [:]
        for (index, cut) in cuts.enumerated() {
            let kind = Kind(
                segment: segments[cut.done], missing: cut.missing, path: operations[cut.done - 1].path)
            if firsts[kind] == nil { firsts[kind] = index }
            lasts[kind] = index
        }
        let ends = Set(firsts.values).union(lasts.values).sorted()
        var wanted = Set(EvenSelection(of: ends.count, count).map { ends[$0] })
        for index in EvenSelection(of: cuts.count, count) where wanted.count < count { wanted.insert(index) }
        return wanted.sorted().map { cuts[$0] }
    }

    /// What makes two cuts equal.
    private struct Kind: Hashable {
        var segment: Int
        var missing: Int
        var path: FilePath

        init(segment: Int, missing: Missing, path: FilePath) {
            (self.segment, self.path) = (segment, path)
            self.missing =
                switch missing {
                case .nothing: 0
                case .end: 1
                case .unsynced: 2
                case .unsyncedOf: 3
                case .operation: 4
                }
        }
    }

    /// How many syncs, truncations and deletions there are up to each number of operations.
    private var segments: [Int] {
        operations.reduce(into: [0]) { $0.append(($0.last ?? 0) + ($1.isMoment ? 1 : 0)) }
    }

    private static let sector = 512

    private static func cuts(_ operations: [WriteLog.Operation]) -> [Cut] {
        var cuts: [Cut] = []
        var pending = PendingWrites()
        for (index, operation) in operations.enumerated() {
            let done = index + 1
            if operation.isMoment, !pending.all.isEmpty, !(index > 0 && operations[index - 1].isMoment) {
                cuts += pending.all.map { Cut(done: index, missing: .operation($0)) }
            }
            pending.note(operation, at: index)
            if operation.isSync { continue }
            if case .write(_, let offset, let bytes) = operation {
                var boundary = sector - offset % sector
                while boundary < bytes.count {
                    cuts.append(Cut(done: done, missing: .end(from: boundary)))
                    boundary += sector
                }
            }
            cuts.append(Cut(done: done, missing: .nothing))
            if pending.all.count > 1 { cuts.append(Cut(done: done, missing: .unsynced)) }
            let firsts = pending.firsts
            if firsts.count > 1 { cuts += firsts.map { Cut(done: done, missing: .unsyncedOf($0)) } }
            if operation.isMoment || done == operations.count {
                cuts += pending.all.map { Cut(done: done, missing: .operation($0)) }
            }
        }
        return cuts
    }

    /// Calls `body` with the state that each of some cuts leaves.
    /// - Parameter wanted: in the order of ``cuts``.
    package func forEach(
        of wanted: some Sequence<Cut>, _ body: (Cut, Image) async throws -> Void
    ) async throws {
        var disk = Disk(start)
        for cut in wanted {
            while disk.done < cut.done - (cut.missing.isTorn ? 1 : 0) {
                try disk.apply(operations[disk.done])
            }
            try await body(cut, try disk.image(without: cut.missing, next: operations))
        }
    }
}

extension PowerCuts.Missing {
    fileprivate var isTorn: Bool { if case .end = self { true } else { false } }
}

extension WriteLog.Operation {
    /// Whether it is one that ends something: before it and after it, a missing operation matters most.
    fileprivate var isMoment: Bool {
        switch self {
        case .sync, .truncate, .delete: true
        case .create, .write: false
        }
    }

    /// Whether the disk does it after those before it: file systems keep a journal of names and sizes.
    var isOrdered: Bool {
        switch self {
        case .create, .delete, .truncate: true
        case .write, .sync: false
        }
    }

    /// Whether it concerns the folder.
    var isOfFolder: Bool {
        switch self {
        case .create, .delete: true
        case .write, .truncate, .sync: false
        }
    }
}

/// The files after some operations: as programs see them, and as they are on the disk for certain.
private struct Disk {
    private let start: Image
    private let store = BlockStore(memoryLimit: Overlay.defaultMemoryLimit, allowance: .max)
    private var seen: [FilePath: FileImage?]
    private var certain: [FilePath: FileImage?]
    private var pending = PendingWrites()
    private var history: [WriteLog.Operation] = []

    init(_ start: Image) {
        self.start = start
        (seen, certain) = (start.files, start.files)
    }

    var done: Int { history.count }

    mutating func apply(_ operation: WriteLog.Operation) throws {
        try Self.apply(operation, to: &seen, store)
        history.append(operation)
        for index in pending.note(operation, at: history.count - 1) {
            try Self.apply(history[index], to: &certain, store)
        }
    }

    /// - Parameter next: all operations, of which a torn one is the next.
    func image(
        without what: PowerCuts.Missing, next: [WriteLog.Operation]
    ) throws -> Image {
        var files = certain
        let lost: Set<Int>
        switch what {
        case .nothing: return image(seen)
        case .unsynced: return image(certain)
        case .end(let position):
            files = seen
            if next.indices.contains(done), case .write(let path, let offset, let bytes) = next[done] {
                try Self.apply(
                    .write(path, offset: offset, Array(bytes.prefix(position))), to: &files, store)
            }
            return image(files)
        case .unsyncedOf(let index): lost = Set(pending.of(history[index].path))
        case .operation(let index):
            if PowerCuts.takesShortcuts, let image = try image(withoutWrite: index) { return image }
            lost = [index]
        }
        let missing = pending.closure(lost)
        if case .unsyncedOf(let index) = what, missing == lost, PowerCuts.takesShortcuts {
            files = seen
            files.updateValue(certain[history[index].path] ?? nil, forKey: history[index].path)
            return image(files)
        }
        for index in pending.all where !missing.contains(index) {
            try Self.apply(history[index], to: &files, store)
        }
        return image(files)
    }

    /// Returns the files without one write, made from those with it; nil where more than its bytes would differ.
    private func image(withoutWrite index: Int) throws -> Image? {
        guard case .write(let path, let offset, let bytes) = history[index], let after = seen[path] ?? nil,
            let before = certain[path] ?? nil, case let end = offset + bytes.count, end < after.size,
            let others = pending.writes(of: path, touching: offset..<end)
        else { return nil }
        var kept = [UInt8](repeating: 0, count: bytes.count)
        try kept.withUnsafeMutableBytes { try before.read(into: $0, at: offset) }
        for other in others where other != index {
            guard case .write(_, let start, let written) = history[other] else { return nil }
            for position in max(start, offset)..<min(start + written.count, end) {
                kept[position - offset] = written[position - start]
            }
        }
        var files = seen
        try Self.apply(.write(path, offset: offset, kept), to: &files, store)
        return image(files)
    }

    private func image(_ files: [FilePath: FileImage?]) -> Image {
        Image(path: start.path, files: files, bases: start.bases)
    }

    private static func apply(
        _ operation: WriteLog.Operation, to files: inout [FilePath: FileImage?], _ store: BlockStore
    ) throws {
        let path = operation.path
        let image = files[path] ?? nil
        switch operation {
        case .create: if image == nil { files.updateValue(.empty, forKey: path) }
        case .delete: files.updateValue(nil, forKey: path)
        case .sync: break
        case .write(_, let offset, let bytes):
            // A file that was deleted while it was open is on no disk.
            guard let image else { return }
            let file = OverlayFile(image, store: store)
            try bytes.withUnsafeBytes { try file.write($0, at: offset) }
            files[path] = file.freeze().after
        case .truncate(_, let size):
            guard let image else { return }
            let file = OverlayFile(image, store: store)
            try file.truncate(to: size)
            files[path] = file.freeze().after
        }
    }
}
