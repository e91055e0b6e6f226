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

    /// - Parameter start: the state before the first operation.
    package init(_ log: WriteLog, from start: Image) {
        operations = log.operations
        self.start = start
        cuts = Self.cuts(operations)
    }

    private static let sector = 512

    private static func cuts(_ operations: [WriteLog.Operation]) -> [Cut] {
        var cuts: [Cut] = []
        var pending = Pending()
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
    fileprivate var isOrdered: Bool {
        switch self {
        case .create, .delete, .truncate: true
        case .write, .sync: false
        }
    }

    /// Whether it concerns the folder.
    fileprivate var isOfFolder: Bool {
        switch self {
        case .create, .delete: true
        case .write, .truncate, .sync: false
        }
    }
}

/// The operations that are not on the disk for certain.
private struct Pending {
    /// Their positions, ascending.
    private(set) var all: [Int] = []
    private var operations: [Int: WriteLog.Operation] = [:]

    /// The first of each file.
    var firsts: [Int] {
        var seen: Set<FilePath> = []
        return all.filter { operations[$0].map { seen.insert($0.path).inserted } ?? false }
    }

    /// Returns also what cannot be on the disk where these operations are not.
    func closure(_ missing: Set<Int>) -> Set<Int> {
        var closure = missing
        var isOrderLost = false
        var files: Set<FilePath> = []
        for index in all {
            guard let operation = operations[index] else { continue }
            guard
                closure.contains(index) || isOrderLost && operation.isOrdered
                    || files.contains(operation.path)
            else { continue }
            closure.insert(index)
            isOrderLost = isOrderLost || operation.isOrdered
            if operation.isOfFolder { files.insert(operation.path) }
        }
        return closure
    }

    func of(_ path: FilePath) -> [Int] { all.filter { operations[$0]?.path == path } }

    /// - Returns: the positions that are on the disk by it.
    @discardableResult
    mutating func note(_ operation: WriteLog.Operation, at index: Int) -> [Int] {
        switch operation {
        case .sync(let path):
            return settle { $0.path == path || $0.isOfFolder }
        case .delete(let path, isDurable: true):
            all.append(index)
            operations[index] = operation
            return settle { $0.path == path || $0.isOfFolder }
        case .delete, .create, .write, .truncate:
            all.append(index)
            operations[index] = operation
            return []
        }
    }

    private mutating func settle(_ isSettled: (WriteLog.Operation) -> Bool) -> [Int] {
        var deleted: Set<FilePath> = []
        // With a deletion goes what was written to the file before.
        let settled = Array(
            all.reversed().filter { index in
                guard let operation = operations[index] else { return true }
                let isDone = isSettled(operation) || deleted.contains(operation.path)
                if isDone, case .delete(let path, _) = operation { deleted.insert(path) }
                return isDone
            }.reversed())
        let gone = Set(settled)
        all.removeAll { gone.contains($0) }
        for index in settled { operations[index] = nil }
        return settled
    }
}

/// The files after some operations: as programs see them, and as they are on the disk for certain.
private struct Disk {
    private let start: Image
    private let store = BlockStore(memoryLimit: Overlay.defaultMemoryLimit, allowance: .max)
    private var seen: [FilePath: FileImage?]
    private var certain: [FilePath: FileImage?]
    private var pending = Pending()
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
        without missing: PowerCuts.Missing, next: [WriteLog.Operation]
    ) throws -> Image {
        var files = certain
        let lost: Set<Int>
        switch missing {
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
        case .operation(let index): lost = [index]
        }
        let missing = pending.closure(lost)
        for index in pending.all where !missing.contains(index) {
            try Self.apply(history[index], to: &files, store)
        }
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
