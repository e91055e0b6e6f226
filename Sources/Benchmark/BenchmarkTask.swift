/// A task, and the programs that are measured on it.
struct BenchmarkTask {
    var name: String
    /// What the task does, and on what.
    var summary: String
    /// The first is Drydock; the ratios are relative to it.
    var contenders: [Contender]
    var goals: [Goal] = []

    /// Runs the contenders in turn.
    func measure(rounds: Int) throws -> TaskResult {
        for contender in contenders { _ = try contender.run() }
        var runs = contenders.map { _ in [Run]() }
        for _ in 0..<max(1, rounds) {
            for (index, contender) in contenders.enumerated() { runs[index].append(try contender.run()) }
        }
        let rows = zip(contenders, runs).map { contender, runs in
            TaskResult.Row(
                name: contender.name, seconds: runs.map(\.seconds),
                privateBytes: runs.compactMap(\.privateBytes).max())
        }
        return TaskResult(
            task: name, summary: summary, contenders: rows, goals: goals.map { $0.outcome(rows) })
    }
}

struct Contender {
    var name: String
    var run: () throws -> Run

    /// Creates a contender within this process. Its memory cannot be separated from the benchmark's own.
    init(_ name: String, _ body: @escaping () throws -> Void) {
        self.name = name
        run = { Run(seconds: try ContinuousClock().measure(body).seconds, privateBytes: nil) }
    }
}

struct Run {
    var seconds: Double
    /// The highest private memory (RssAnon) seen, in bytes.
    var privateBytes: Int?
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
