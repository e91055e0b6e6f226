import DrydockFindings

/// The check `wal-checkpoint`: a reader keeps the write-ahead log from being moved to the file.
struct CheckpointCheck: HealthCheck {
    let text = HealthCheckText(
        .walCheckpoint, "a long read transaction keeps a checkpoint from finishing",
        why: "Until that read ends, the log grows with every write.",
        // wal_autocheckpoint requests a checkpoint every 1000 frames
        // (https://www.sqlite.org/pragma.html#pragma_wal_autocheckpoint).
        threshold: HealthThreshold(warning: "0:4000"), measured: "frames that the oldest reader is behind")

    func check(_ view: HealthView) throws -> HealthResult {
        guard let index = view.state.index else { return HealthResult() }
        let threshold = view.threshold(of: self)
        let oldest = index.readers.min { $0.frame < $1.frame }
        let behind = oldest.map { index.frames - $0.frame } ?? 0
        let measures = [
            HealthMeasure(
                "wal_frames", .frames, Double(index.frames), "Frames in the write-ahead log."),
            HealthMeasure(
                "wal_frames_not_checkpointed", .frames, Double(max(0, index.frames - index.moved)),
                "Frames that no checkpoint has moved to the file."),
            HealthMeasure(
                "wal_reader_lag_frames", .frames, Double(behind),
                "Frames that the oldest reader is behind.", threshold: threshold),
        ]
        guard let oldest, let severity = threshold.severity(of: Double(behind)) else {
            return HealthResult(measures: measures)
        }
        return HealthResult(
            [
                finding(
                    severity,
                    "process \(oldest.process) is \(counted(behind, "frame")) behind in its read transaction, so no checkpoint can finish",
                    help: "End its transaction: a statement that was not reset or finalized keeps one open.")
            ], measures: measures)
    }
}
