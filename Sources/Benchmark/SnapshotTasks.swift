import Foundation

/// The task that takes a small, masked snapshot.
struct SnapshotTasks {
    let drydock: String
    let database: BenchmarkDatabase

    var all: [BenchmarkTask] {
        let (own, output) = ("drydock snapshot take", database.folder + "/small.sqlite")
        return [
            BenchmarkTask(
                name: "snapshot take", summary: "one row in a hundred of \(database.megabytes) MB, masked",
                contenders: [
                    Contender(
                        own,
                        [
                            "env", "DRYDOCK_MASK_KEY=a key of the benchmark", drydock, "snapshot", "take",
                            database.snapshot, "-o", output, "--percent", "1", "--mask-auto", "--lock",
                            database.folder + "/none.lock",
                        ], before: { try? FileManager.default.removeItem(atPath: output) }),
                    Contender(
                        "cp", script: "cp '\(database.snapshot)' '\(database.folder)/copy.sqlite'"),
                ], goals: [Goal(own, .seconds(10)), Goal(own, .privateMegabytes(100))])
        ]
    }
}
