import ArgumentParser
import DatabaseEngine
import GRDBEngine
import NIOEngine

/// The engines that a command can run on.
enum EngineName: String, CaseIterable, ExpressibleByArgument {
    case grdb, nio

    var driver: any Engine {
        switch self {
        case .grdb: GRDBDriver()
        case .nio: NIODriver()
        }
    }
}

struct EngineOptions: ParsableArguments {
    @Option(name: Setting.engine.name, help: Setting.engine.help)
    var engine: EngineName?

    /// The engine of a command that runs on one.
    /// - Parameter config: nil for a command that does not read drydock.yml.
    func driver(_ config: ConfigFile? = nil) -> any Engine {
        engine?.driver ?? config?[Setting.engine]?.first ?? EngineName.grdb.driver
    }
}

/// The engines of a replay: one, or both compared.
enum ReplayEngines: String, CaseIterable, ExpressibleByArgument {
    case grdb, nio, all

    var first: any Engine { self == .nio ? NIODriver() : GRDBDriver() }
    var other: (any Engine)? { self == .all ? NIODriver() : nil }
}
