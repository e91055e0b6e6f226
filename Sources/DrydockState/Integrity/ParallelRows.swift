import Dispatch
import SQLiteFile
import Synchronization

/// The rows of a large table, of which several threads read a part each.
///
/// Only for a tree that is known to be undamaged: in another one parts may share pages, and take as long as all together.
package struct ParallelRows: Sendable {
    private let file: DatabaseFile
    private let parts: [Subtree]

    /// How many parts a tree has at least, so that no thread is left with the last one for long.
    private static let leastCount = 64

    /// - Returns: nil for a small tree, and for one without rowids.
    /// - Throws: ``FileDamage``.
    package init?(_ file: DatabaseFile, root: UInt32) throws(FileDamage) {
        guard try file.treePage(root).kind.isTable else { return nil }
        let parts = try Subtree.parts(of: root, in: file, atLeast: Self.leastCount)
        guard parts.count > 1 else { return nil }
        (self.file, self.parts) = (file, parts)
    }

    /// Passes the rows of each part to a closure.
    /// - Returns: the results, in the order of the rows.
    /// - Throws: what the closure throws.
    package func map<Result: Sendable>(
        _ body: @Sendable (inout TreeCursor) throws -> Result
    ) throws -> [Result] {
        typealias Outcome = Swift.Result<Result?, any Error>
        let outcomes = Mutex([Outcome](repeating: .success(nil), count: parts.count))
        DispatchQueue.concurrentPerform(iterations: parts.count) { number in
            let outcome = Outcome {
                guard var cursor = try TreeCursor(file, parts[number]) else { return nil }
                return try body(&cursor)
            }
            outcomes.withLock { $0[number] = outcome }
        }
        return try outcomes.withLock { $0 }.compactMap { try $0.get() }
    }
}
