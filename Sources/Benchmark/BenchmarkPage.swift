import Foundation

/// The page of all figures, docs/benchmarks.md.
struct BenchmarkPage {
    let drydock: String
    let results: [TaskResult]
    let growth: [Growth]
    let rounds: Int

    func text() throws -> String {
        var text = """
            # Benchmarks

            Drydock beside the programs that people use today, on the same files, in turn. `make bench` makes the databases,
            measures, and writes this page; nothing on it is written by hand.

            - Machine: \(machine)
            - Drydock: \(try Self.output([drydock, "--version"])), release build
            - Peers: sqlite3, sqldiff and sqlite3_analyzer \(try Self.output(["sqlite3", "--version"]).prefix { $0 != " " })
            - Each program ran once unmeasured, so that files are in the page cache, as read from the disk and not as written,
              once for its memory, and was then measured \(rounds == 1 ? "once" : "\(rounds) times"), in turn with the
              others. The time is that of the whole process. Memory is what is in no file (RssAnon), at most.


            """
        text += losses
        for result in results { text += result.markdown }
        for part in growth { text += part.markdown }
        return text.trimmingCharacters(in: .newlines) + "\n"
    }

    /// The goals that were missed, and the peers that are faster.
    private var losses: String {
        let missed = results.flatMap { result in
            result.goals.filter { !$0.isMet }.map { "- \(result.task): \($0.goal): \($0.measured)\n" }
        }
        let faster = results.flatMap { result in
            result.contenders.dropFirst().filter {
                !$0.name.contains("drydock") && $0.median < result.contenders[0].median
            }.map {
                "- \(result.task): \($0.name) takes \(TaskResult.format($0.median)) s, "
                    + "\(result.contenders[0].name) \(TaskResult.format(result.contenders[0].median)) s\n"
            }
        }
        var text = "## Where Drydock loses\n\n"
        text +=
            missed.isEmpty ? "Every goal below is met.\n" : "Goals that were missed:\n\n\(missed.joined())"
        text +=
            faster.isEmpty
            ? "\nIn no task is another program faster.\n"
            : "\nWhat is faster, though it may do less:\n\n\(faster.joined())"
        return text + "\n"
    }

    private var machine: String {
        let info = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = info.split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
        let process = ProcessInfo.processInfo
        return "\(model ?? "unknown processor"), \(process.activeProcessorCount) cores, "
            + "\(process.physicalMemory >> 30) GB, \(process.operatingSystemVersionString)"
    }

    private static func output(_ command: [String]) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        (process.arguments, process.standardOutput) = (command, pipe)
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
