import Drydock
import TestTools
import Testing

@testable import DrydockTestSupport

@Suite struct ShardTests {
    @Test(arguments: [("1/1", 1, 1), ("2/8", 2, 8), ("100/100", 100, 100)])
    func reads(_ text: String, _ number: Int, _ count: Int) throws {
        let shard = try Shard(text)
        #expect(shard.number == number && shard.count == count)
    }

    @Test(arguments: ["0/3", "4/3", "1/0", "-1/3", "1", "1/2/3", "a/b", "", "1/", " 1/2"])
    func refuses(_ text: String) { #expect(throws: ShardFault.self) { try Shard(text) } }

    /// Whatever the databases cost: each is in one shard, the order is kept, and no shard has more than its share by more
    /// than the heaviest database.
    @Test(arguments: 0..<200) func dividesEvenly(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let weights = (0..<Int.random(in: 0...60, using: &random)).map { _ in
            Double(Int.random(in: 1...(seed % 2 == 0 ? 1 : 1000), using: &random))
        }
        let count = Int.random(in: 1...12, using: &random)
        let shards = try (1...count).map { try Shard(number: $0, of: count).indices(of: weights) }
        #expect(shards.flatMap(\.self).sorted() == Array(weights.indices))
        #expect(shards.allSatisfy { $0 == $0.sorted() })
        let share = weights.reduce(0, +) / Double(count)
        for shard in shards {
            #expect(shard.reduce(0) { $0 + weights[$1] } <= share + (weights.max() ?? 0))
        }
    }
}

@Suite struct ShardEnvironmentTests {
    @Test(arguments: [
        (["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "8", "GITLAB_CI": "true"], "2/8"),
        (["CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "3"], "1/3"),
        (["BUILDKITE_PARALLEL_JOB": "2", "BUILDKITE_PARALLEL_JOB_COUNT": "3"], "3/3"),
        (["BITBUCKET_PARALLEL_STEP": "1", "BITBUCKET_PARALLEL_STEP_COUNT": "3"], "2/3"),
        (["SEMAPHORE_JOB_INDEX": "1", "SEMAPHORE_JOB_COUNT": "3"], "1/3"),
        (["BITRISE_IO_PARALLEL_INDEX": "0", "BITRISE_IO_PARALLEL_TOTAL": "3"], "1/3"),
        (["JOB_COMPLETION_INDEX": "19", "DRYDOCK_SHARDS": "20"], "20/20"),
        (["AWS_BATCH_JOB_ARRAY_INDEX": "9", "AWS_BATCH_JOB_ARRAY_SIZE": "10"], "10/10"),
        (["BATCH_TASK_INDEX": "0", "BATCH_TASK_COUNT": "10"], "1/10"),
        (["CLOUD_RUN_TASK_INDEX": "4", "CLOUD_RUN_TASK_COUNT": "10"], "5/10"),
        (["TEST_SHARD_INDEX": "1", "TEST_TOTAL_SHARDS": "2"], "2/2"),
        (["SYSTEM_JOBPOSITIONINPHASE": "1", "SYSTEM_TOTALJOBSINPHASE": "2"], "1/2"),
        (
            [
                "SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "7",
                "SLURM_ARRAY_TASK_STEP": "2", "SLURM_ARRAY_TASK_COUNT": "4",
            ], "4/4"
        ),
        (
            [
                "SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "9",
                "SLURM_ARRAY_TASK_STEP": "1", "SLURM_ARRAY_TASK_COUNT": "10",
            ], "1/10"
        ),
    ]) func names(_ variables: [String: String], _ shard: String) throws {
        #expect(try ShardEnvironment.shard(in: variables) == Shard(shard))
    }

    @Test(arguments: [
        ([:], "found no variable"), (["CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "2"], "found no variable"),
        (["JOB_COMPLETION_INDEX": "3"], "DRYDOCK_SHARDS, the number of shards, is not set"),
        (
            ["CIRCLE_NODE_INDEX": "3", "CIRCLE_NODE_TOTAL": ""],
            "CIRCLE_NODE_TOTAL, the number of shards, is not set"
        ),
        (["CIRCLE_NODE_INDEX": "3", "CIRCLE_NODE_TOTAL": "3"], "there are 3 shards: the first has 0"),
        (["SEMAPHORE_JOB_INDEX": "0", "SEMAPHORE_JOB_COUNT": "3"], "the first has 1"),
        (["CIRCLE_NODE_INDEX": "x", "CIRCLE_NODE_TOTAL": "3"], "'x', which is not a number"),
        (
            [
                "SLURM_ARRAY_TASK_ID": "9", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "9",
                "SLURM_ARRAY_TASK_STEP": "1", "SLURM_ARRAY_TASK_COUNT": "3",
            ], "not evenly spaced"
        ),
    ]) func refuses(_ variables: [String: String], _ message: String) {
        #expect { try ShardEnvironment.shard(in: variables) } throws: { "\($0)".contains(message) }
    }

    /// Every service of the table is found, from its first shard to its last.
    @Test(arguments: ShardEnvironment.all.map(\.name)) func everyServiceIsFound(_ name: String) throws {
        let service = try #require(ShardEnvironment.all.first { $0.name == name })
        for ordinal in 0..<3 {
            var variables = [
                service.index: "\(ordinal + service.base)", service.count ?? ShardEnvironment.fallback: "3",
            ]
            if let marker = service.marker { variables[marker] = "true" }
            #expect(try ShardEnvironment.shard(in: variables) == Shard(number: ordinal + 1, of: 3))
        }
    }
}
