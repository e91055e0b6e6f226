import DatabaseEngine
import Dispatch
import Synchronization

/// A queue of rows between the thread that reads them and one that writes them out, so that a diff of many rows uses two
/// cores.
///
/// Rows go over in batches, and few batches wait at once, so that memory does not grow with the rows. The rows keep their
/// order, and the consumer runs on one thread at a time.
struct RowPipe {
    /// A batch has so many rows, or rows of so many bytes.
    private static let batchRows = 256
    private static let batchBytes = 256 << 10
    private static let waitingBatches = 4

    private let queue = DispatchQueue(label: "drydock.rows")
    private let room = DispatchSemaphore(value: Self.waitingBatches)
    private let end: End
    private var batch: [RowDifference] = []
    private var bytes = 0

    /// The end of the pipe. Only the queue uses the consumer until the pipe is empty.
    private final class End: @unchecked Sendable {
        private let consumer: any DataDiffConsumer
        private let table: TableDataDiff
        private let pass: Int
        /// The error that ended the consumer's work.
        let error = Mutex<(any Error)?>(nil)

        init(_ consumer: any DataDiffConsumer, _ table: TableDataDiff, _ pass: Int) {
            (self.consumer, self.table, self.pass) = (consumer, table, pass)
        }

        func take(_ rows: [RowDifference]) {
            guard error.withLock({ $0 == nil }) else { return }
            do {
                for row in rows { try consumer.take(row, of: table, pass: pass) }
            } catch {
                self.error.withLock { $0 = error }
            }
        }
    }

    init(_ consumer: any DataDiffConsumer, _ table: TableDataDiff, pass: Int) {
        end = End(consumer, table, pass)
    }

    /// Passes a row on.
    /// - Throws: What the consumer threw for an earlier row.
    mutating func add(_ row: RowDifference) throws {
        batch.append(row)
        bytes += row.byteCount
        if batch.count >= Self.batchRows || bytes >= Self.batchBytes { try send() }
    }

    /// Waits until the consumer has taken every row.
    /// - Throws: What the consumer threw.
    mutating func finish() throws {
        try send()
        wait()
        try check()
    }

    /// Waits until the consumer is idle: it may be used by nobody else before.
    func wait() { queue.sync {} }

    private mutating func send() throws {
        try check()
        guard !batch.isEmpty else { return }
        let (rows, end, room) = (batch, end, room)
        batch.removeAll(keepingCapacity: true)
        bytes = 0
        room.wait()
        queue.async {
            end.take(rows)
            room.signal()
        }
    }

    private func check() throws {
        if let error = end.error.withLock({ $0 }) { throw error }
    }
}

extension RowDifference {
    /// About how much memory the values take, in bytes.
    fileprivate var byteCount: Int {
        var count = 0
        for value in values { count += value.byteCount }
        for change in changes { count += change.old.byteCount + change.new.byteCount }
        return count
    }
}

extension SQLValue {
    fileprivate var byteCount: Int {
        switch self {
        case .null, .integer, .real: 0
        case .text(let bytes), .blob(let bytes): bytes.count
        }
    }
}
