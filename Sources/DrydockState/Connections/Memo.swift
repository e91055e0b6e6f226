import Synchronization

/// A value that is kept as long as what it was computed from.
package final class Memo: Sendable {
    private let value = Mutex<(any Sendable)?>(nil)

    package init() {}

    /// Returns the value that is known, or else makes it.
    /// - Parameter isKept: whether a new one counts for later calls.
    package func value<Value: Sendable>(
        isKept: (Value) -> Bool = { _ in true }, _ make: () throws -> Value
    ) rethrows -> Value {
        if let known = value.withLock({ $0 }) as? Value { return known }
        let new = try make()
        if isKept(new) { value.withLock { $0 = new } }
        return new
    }
}
