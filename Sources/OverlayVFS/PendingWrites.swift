/// The operations that are not on the disk for certain.
struct PendingWrites {
    /// Their positions, ascending.
    private(set) var all: [Int] = []
    private var operations: [Int: WriteLog.Operation] = [:]
    /// The first of each file, ascending.
    private(set) var firsts: [Int] = []
    private var paths: Set<FilePath> = []

    /// Returns also what cannot be on the disk where these operations are not.
    func closure(_ missing: Set<Int>) -> Set<Int> {
        var closure = missing
        var isOrderLost = false
        var files: Set<FilePath> = []
        for index in all {
            guard let operation = operations[index] else { continue }
            guard
                closure.contains(index) || isOrderLost && operation.isOrdered
                    || !files.isEmpty && files.contains(operation.path)
            else { continue }
            closure.insert(index)
            isOrderLost = isOrderLost || operation.isOrdered
            if operation.isOfFolder { files.insert(operation.path) }
        }
        return closure
    }

    func of(_ path: FilePath) -> [Int] { all.filter { operations[$0]?.path == path } }

    /// Returns the writes of a file that touch a range; nil where it was also cut, created or deleted.
    func writes(of path: FilePath, touching range: Range<Int>) -> [Int]? {
        var touching: [Int] = []
        for index in all {
            guard let operation = operations[index], operation.path == path else { continue }
            guard case .write(_, let offset, let bytes) = operation else { return nil }
            if (offset..<offset + bytes.count).overlaps(range) { touching.append(index) }
        }
        return touching
    }

    /// - Returns: the positions that are on the disk by it.
    @discardableResult
    mutating func note(_ operation: WriteLog.Operation, at index: Int) -> [Int] {
        switch operation {
        case .sync(let path):
            return settle { $0.path == path || $0.isOfFolder }
        case .delete(let path, isDurable: true):
            append(operation, at: index)
            return settle { $0.path == path || $0.isOfFolder }
        case .delete, .create, .write, .truncate:
            append(operation, at: index)
            return []
        }
    }

    private mutating func append(_ operation: WriteLog.Operation, at index: Int) {
        all.append(index)
        operations[index] = operation
        if paths.insert(operation.path).inserted { firsts.append(index) }
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
        paths = []
        firsts = all.filter { index in operations[index].map { paths.insert($0.path).inserted } ?? false }
        return settled
    }
}
