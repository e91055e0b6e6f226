import DrydockFindings

/// The check `wal-size`: the write-ahead log has grown out of proportion.
struct LogSizeCheck: HealthCheck {
    let text = HealthCheckText(
        .walSize, "the write-ahead log is large",
        why: "Every read has to look through it, and it takes up disk space.",
        threshold: HealthThreshold(warning: "0:67108864"), measured: "bytes of the -wal file")

    func check(_ view: HealthView) throws -> HealthResult {
        guard view.state.isLogged else { return HealthResult() }
        let size = view.state.logSize ?? 0
        let threshold = threshold(view)
        let measure = HealthMeasure(
            "wal_bytes", .bytes, Double(size), "Size of the write-ahead log.", threshold: threshold)
        guard let severity = threshold.severity(of: Double(size)) else {
            return HealthResult(measures: [measure])
        }
        return HealthResult(
            [
                finding(
                    severity, "the write-ahead log has \(counted(size, "byte"))",
                    help: """
                        Find the long read transaction or the checkpoint that never runs (wal_autocheckpoint = 0?), \
                        then truncate the log:
                          PRAGMA wal_checkpoint(TRUNCATE);
                        """)
            ], measures: [measure])
    }

    private func threshold(_ view: HealthView) -> HealthThreshold { view.threshold(of: self) }
}
