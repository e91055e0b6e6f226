import DatabaseEngine
import DrydockReplay
import DrydockVerify

extension Verifier {
    /// - Parameter other: another engine, which must have the same result for every step.
    public init(
        engine: any Engine, comparingWith other: (any Engine)? = nil,
        onEvent: @escaping @Sendable (VerifyEvent) -> Void = { _ in }
    ) {
        self.init(
            engine: engine, generator: RowMaker(), comparingWith: other, onEvent: onEvent)
    }
}
