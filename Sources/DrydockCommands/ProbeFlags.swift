import ArgumentParser
import Drydock

/// Whether rows are generated, and which.
struct ProbeFlags: ParsableArguments {
    @Flag(name: Setting.probe.name, inversion: .prefixedNo, help: Setting.probe.help)
    var probe: Bool?

    @Option(
        name: Setting.probeRows.name, help: Setting.probeRows.help,
        transform: NumberOption.reader(1...1000, "a number from 1 to 1000"))
    var probeRows: Int?

    @Option(name: Setting.probeSeed.name, help: Setting.probeSeed.help, transform: NumberOption.atLeastOne)
    var probeSeed: Int?

    @Flag(name: Setting.released.name, inversion: .prefixedNo, help: Setting.released.help)
    var all: Bool?

    func options(_ config: ConfigFile) -> ProbeOptions {
        var options = ProbeOptions()
        if let probe = probe ?? config[Setting.probe] { options.use = probe ? .always : .never }
        options.rowCount = probeRows ?? config[Setting.probeRows] ?? options.rowCount
        options.seed = UInt64(probeSeed ?? config[Setting.probeSeed] ?? Int(options.seed))
        options.includesReleased = all ?? config[Setting.released] ?? false
        return options
    }
}
