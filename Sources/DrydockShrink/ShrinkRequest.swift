import DrydockFindings
import DrydockReplay
import DrydockVerify

/// The options of `drydock shrink`.
public struct ShrinkRequest: Sendable {
    /// The project and its snapshots.
    public var verify: VerifyRequest
    public var target = ShrinkTarget()
    /// The folder to create; it must not exist.
    public var folder: String
    /// How long to search for smaller databases; nil for no limit.
    public var timeout: Duration? = .seconds(60)
    /// Whether values are kept even if the finding does not need them.
    public var keepsValues = false
    /// Returns further files for the folder, by name, from the finding, the name of the migrations' format and what verify has
    /// to be told.
    public var files: @Sendable (Finding, String, ShrunkSettings) -> [String: String] = { _, _, _ in [:] }
    /// Returns how a folder that was written is verified, as whoever gets it will do it; nil for the settings of ``verify``.
    public var verification: (@Sendable (_ folder: String) throws -> VerifyRequest)?

    public init(_ verify: VerifyRequest, folder: String) { (self.verify, self.folder) = (verify, folder) }
}

extension Verifier {
    /// Finds a step, or a replay, with the wanted finding, searches for the smallest database and migration that show it, and writes them
    /// as a project of their own.
    /// - Parameter stop: ends the search when it returns true; the smallest that was found by then is written.
    /// - Throws: ``RequestError`` if there is no such finding, or nothing can be written; CancellationError if it is stopped
    ///   before there is anything to write.
    public func shrink(
        _ request: ShrinkRequest, until stop: @escaping @Sendable () -> Bool = { false },
        onStage: @escaping @Sendable (ShrinkStage) -> Void = { _ in }
    ) async throws -> ShrunkFinding {
        try await FindingShrink(verifier: self, request: request, stop: stop, onStage: onStage).run()
    }
}
