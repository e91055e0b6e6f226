import DrydockState

extension SnapshotReplay {
    /// Returns the state before any migration with all its faults, which may be known already.
    mutating func start(of opened: OpenedSnapshot) async throws -> BaselinedSnapshot {
        if let later { return try await later.baseline(inspector) }
        let (image, known) = (opened.image, opened.recognition)
        let state = try await inspector.inspect(image, earlier: nil, baseline: known?.baseline)
        if let known, let baseline = known.baseline {
            result.summary.baseline = known.by == .stat ? .knownByStat : .knownByContent
            if known.isFromLock { keep(Baseline(state, baseline.integrity), for: known) }
            return BaselinedSnapshot(state: state, integrity: baseline.integrity)
        }
        let catalog = state.catalog
        let check = try await inspector.withSharedConnection(to: state) {
            try IntegrityCheck($0, catalog: catalog, image: image)
        }
        if let known { keep(Baseline(state, check), for: known) }
        return BaselinedSnapshot(state: state, integrity: check)
    }

    private func keep(_ baseline: Baseline?, for known: OpenedSnapshot.Recognition) {
        guard let baseline else { return }
        context.baselines?.save(baseline, for: known.hash)
    }
}
