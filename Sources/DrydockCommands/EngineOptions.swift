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
    @Option(
        help: ArgumentHelp("What opens databases: GRDB.swift, or SQLite on SwiftNIO.", valueName: "engine"))
    var engine: EngineName = .grdb

    var driver: any Engine { engine.driver }
}

/// The engines of a replay: one, or both compared.
enum ReplayEngines: String, CaseIterable, ExpressibleByArgument {
    case grdb, nio, all

    var first: any Engine { self == .nio ? NIODriver() : GRDBDriver() }
    var other: (any Engine)? { self == .all ? NIODriver() : nil }
}
