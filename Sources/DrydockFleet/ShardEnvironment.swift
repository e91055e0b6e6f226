import DrydockFindings

/// A service that runs a job several times at once, and the variables in which it says which run is which.
public struct ShardEnvironment: Sendable {
    public let name: String
    public let index: String
    /// The variable with the number of shards; nil where the service has none, and `DRYDOCK_SHARDS` says it.
    public let count: String?
    /// The index of the first shard.
    public let base: Int
    /// Another variable that must be set, since other services use the same names with another base.
    public let marker: String?
    /// Where this is documented.
    public let source: String

    private init(
        _ name: String, _ index: String, of count: String?, from base: Int, marker: String? = nil,
        _ source: String
    ) {
        (self.name, self.index, self.count, self.base) = (name, index, count, base)
        (self.marker, self.source) = (marker, source)
    }

    /// The variable for the number of shards where the service has none.
    public static let fallback = "DRYDOCK_SHARDS"

    /// The services in the order in which they are looked for. Those inside another one come first.
    public static let all = [
        ShardEnvironment(
            "Bazel", "TEST_SHARD_INDEX", of: "TEST_TOTAL_SHARDS", from: 0,
            "https://bazel.build/reference/test-encyclopedia"),
        ShardEnvironment(
            "Slurm", "SLURM_ARRAY_TASK_ID", of: "SLURM_ARRAY_TASK_COUNT", from: 0,
            "https://slurm.schedmd.com/job_array.html"),
        ShardEnvironment(
            "AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", of: "AWS_BATCH_JOB_ARRAY_SIZE", from: 0,
            "https://docs.aws.amazon.com/batch/latest/userguide/job_env_vars.html"),
        ShardEnvironment(
            "Google Cloud Batch", "BATCH_TASK_INDEX", of: "BATCH_TASK_COUNT", from: 0,
            "https://cloud.google.com/batch/docs/reference/rest/v1/projects.locations.jobs"),
        ShardEnvironment(
            "Cloud Run jobs", "CLOUD_RUN_TASK_INDEX", of: "CLOUD_RUN_TASK_COUNT", from: 0,
            "https://cloud.google.com/run/docs/container-contract"),
        ShardEnvironment(
            "Kubernetes", "JOB_COMPLETION_INDEX", of: nil, from: 0,
            "https://kubernetes.io/docs/concepts/workloads/controllers/job/"),
        ShardEnvironment(
            "GitLab", "CI_NODE_INDEX", of: "CI_NODE_TOTAL", from: 1, marker: "GITLAB_CI",
            "https://docs.gitlab.com/ci/variables/predefined_variables/"),
        ShardEnvironment(
            "CircleCI", "CIRCLE_NODE_INDEX", of: "CIRCLE_NODE_TOTAL", from: 0,
            "https://circleci.com/docs/variables/"),
        ShardEnvironment(
            "Buildkite", "BUILDKITE_PARALLEL_JOB", of: "BUILDKITE_PARALLEL_JOB_COUNT", from: 0,
            "https://buildkite.com/docs/pipelines/environment-variables"),
        ShardEnvironment(
            "Bitbucket", "BITBUCKET_PARALLEL_STEP", of: "BITBUCKET_PARALLEL_STEP_COUNT", from: 0,
            "https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/"),
        ShardEnvironment(
            "Semaphore", "SEMAPHORE_JOB_INDEX", of: "SEMAPHORE_JOB_COUNT", from: 1,
            "https://docs.semaphoreci.com/ci-cd-environment/environment-variables/"),
        ShardEnvironment(
            "Bitrise", "BITRISE_IO_PARALLEL_INDEX", of: "BITRISE_IO_PARALLEL_TOTAL", from: 0,
            "https://devcenter.bitrise.io/en/references/available-environment-variables.html"),
        ShardEnvironment(
            "Azure Pipelines", "SYSTEM_JOBPOSITIONINPHASE", of: "SYSTEM_TOTALJOBSINPHASE", from: 1,
            "https://learn.microsoft.com/azure/devops/pipelines/test/parallel-testing-any-test-runner"),
    ]

    /// Returns the shard that the environment names.
    /// - Throws: ``ShardFault`` where it names none, an index without a number of shards, or no valid one.
    public static func shard(in variables: [String: String]) throws(ShardFault) -> Shard {
        let set = variables.filter { !$0.value.isEmpty }
        let isHere = { (service: ShardEnvironment) in
            set[service.index] != nil && service.marker.map { set[$0] != nil } ?? true
        }
        guard let service = all.first(where: isHere), let text = set[service.index] else {
            throw ShardFault(
                "--shard auto found no variable of a service that runs a job several times; write --shard 2/8 for the "
                    + "second of eight")
        }
        let index = try service.number(text, in: service.index)
        let countName = service.count ?? fallback
        guard let countText = set[countName] ?? set[fallback] else {
            throw ShardFault(
                "\(service.index) is \(text), and \(countName), the number of shards, is not set; set \(fallback), or write "
                    + "--shard \(index - service.base + 1)/NUMBER")
        }
        let count = try service.number(countText, in: countName)
        guard service.name == "Slurm" else { return try service.shard(index - service.base, of: count) }
        return try service.shard(try service.ordinal(index, count, set), of: count)
    }

    private func shard(_ ordinal: Int, of count: Int) throws(ShardFault) -> Shard {
        guard count >= 1, (0..<count).contains(ordinal) else {
            throw ShardFault(
                "\(index) is \(ordinal + base), and there are \(counted(count, "shard")): the first has \(base)"
            )
        }
        return try Shard(number: ordinal + 1, of: count)
    }

    /// Returns the place of a task in a Slurm array, which may begin anywhere and have a step.
    private func ordinal(_ index: Int, _ count: Int, _ set: [String: String]) throws(ShardFault) -> Int {
        guard let least = set["SLURM_ARRAY_TASK_MIN"], let most = set["SLURM_ARRAY_TASK_MAX"] else {
            return index
        }
        let (first, last) = (
            try number(least, in: "SLURM_ARRAY_TASK_MIN"), try number(most, in: "SLURM_ARRAY_TASK_MAX")
        )
        let step = try set["SLURM_ARRAY_TASK_STEP"].map { (text) throws(ShardFault) in
            try number(text, in: "SLURM_ARRAY_TASK_STEP")
        }
        let stride = max(1, step ?? 1)
        guard first <= last, (last - first) / stride + 1 == count, (index - first) % stride == 0 else {
            throw ShardFault(
                "the array of Slurm has \(counted(count, "task")) from \(first) to \(last) that are not evenly spaced; use "
                    + "--array=1-\(count), or write --shard for each")
        }
        return (index - first) / stride
    }

    private func number(_ text: String, in name: String) throws(ShardFault) -> Int {
        guard let number = Int(text), abs(number) < 1 << 40 else {
            throw ShardFault("\(name) is '\(text)', which is not a number")
        }
        return number
    }
}
