/// An engine that wraps another and stops its statements when a time is up.
public struct BoundedEngine: Engine {
    private let base: any Engine
    private let statements: StatementLog?
    private let isTimeUp: @Sendable () -> Bool

    public var name: String { base.name }

    /// - Parameters:
    ///   - statements: where statements of files are noted while they run.
    ///   - isTimeUp: polled beside each connection's own ``ConnectionSettings/interrupt``.
    public init(
        _ base: any Engine, statements: StatementLog? = nil, isTimeUp: @escaping @Sendable () -> Bool
    ) {
        (self.base, self.statements, self.isTimeUp) = (base, statements, isTimeUp)
    }

    public func open(
        _ location: DatabaseLocation, settings: ConnectionSettings
    ) async throws -> any OpenDatabase {
        var settings = settings
        let (isTimeUp, interrupt) = (isTimeUp, settings.interrupt)
        settings.interrupt = { isTimeUp() || interrupt?() == true }
        settings.statements = settings.statements ?? statements
        return try await base.open(location, settings: settings)
    }

    public func checkTime() throws {
        if isTimeUp() { throw EngineError.interrupted }
        try base.checkTime()
    }
}
