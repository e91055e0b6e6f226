/// An engine that wraps another and stops its statements when a time is up.
public struct BoundedEngine: Engine {
    private let base: any Engine
    private let isTimeUp: @Sendable () -> Bool

    public var name: String { base.name }

    /// - Parameter isTimeUp: polled in addition to each connection's own ``ConnectionSettings/interrupt``.
    public init(_ base: any Engine, isTimeUp: @escaping @Sendable () -> Bool) {
        (self.base, self.isTimeUp) = (base, isTimeUp)
    }

    public func open(
        _ location: DatabaseLocation, settings: ConnectionSettings
    ) async throws -> any OpenDatabase {
        var settings = settings
        let (isTimeUp, interrupt) = (isTimeUp, settings.interrupt)
        settings.interrupt = { isTimeUp() || interrupt?() == true }
        return try await base.open(location, settings: settings)
    }
}
