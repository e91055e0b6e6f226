/// A task, and the programs that are measured on it.
struct BenchmarkTask {
    var name: String
    /// What the task does, and on what.
    var summary: String
    /// The first is Drydock; the ratios are relative to it.
    var contenders: [Contender]
    var goals: [Goal] = []

    /// Runs the contenders in turn. Memory is looked at in a run of its own, since that takes time from a program which
    /// uses every core.
    func measure(rounds: Int) throws -> TaskResult {
        for contender in contenders { _ = try contender.run() }
        let memory = try contenders.map { try $0.privateBytes() }
        var seconds = contenders.map { _ in [Double]() }
        for _ in 0..<max(1, rounds) {
            for (index, contender) in contenders.enumerated() { seconds[index].append(try contender.run()) }
        }
        let rows = contenders.indices.map { index in
            TaskResult.Row(
                name: contenders[index].name, seconds: seconds[index], privateBytes: memory[index])
        }
        return TaskResult(
            task: name, summary: summary, contenders: rows, goals: goals.map { $0.outcome(rows) })
    }
}

struct Contender {
    var name: String
    /// Runs it, and returns how many seconds it takes.
    var run: () throws -> Double
    /// Runs it, and returns the highest private memory (RssAnon) seen, in bytes; nil if that is not known.
    var privateBytes: () throws -> Int?

    /// Creates a contender within this process. Its memory cannot be separated from the benchmark's own.
    init(_ name: String, _ body: @escaping () throws -> Void) {
        self.name = name
        run = { try ContinuousClock().measure(body).seconds }
        privateBytes = { nil }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
