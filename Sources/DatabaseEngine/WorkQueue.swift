import Dispatch

/// A queue on which all parts of a task run, one after another, and may block: its thread serves nothing else.
///
///     let replay = Task(executorPreference: WorkQueue()) { try await replay(snapshot) }
///
/// A task that awaits one connection after another otherwise goes from thread to thread, which takes longer than the work on
/// a small database. Here an engine may run a closure at once, on the thread of its caller (``isCurrent``). Unstructured
/// tasks that are begun on the queue run elsewhere, as the language has it.
package final class WorkQueue: TaskExecutor {
    private static let key = DispatchSpecificKey<Bool>()

    private let queue = DispatchQueue(label: "drydock.work")

    package init() { queue.setSpecific(key: Self.key, value: true) }

    /// Whether the caller runs on such a queue, and so may block.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
