import DrydockState

extension SnapshotReplay {
    /// Returns the state before any migration with all its faults, which may be known already.
    mutating func start(of opened: OpenedSnapshot) async throws -> BaselinedSnapshot {
        if let later { return try await later.baseline(inspector) }
        let (image, known) = (opened.image, opened.recognition)
        if let known, let baseline = known.baseline {
            let state = try await inspector.inspect(image, earlier: nil, baseline: baseline)
            result.summary.baseline = known.isByStat ? .knownByStat : .knownByContent
            let hash = try hash(of: known)
            if known.isFromLock { keep(Baseline(state, baseline.integrity), hash, known) }
            return BaselinedSnapshot(state: state, integrity: baseline.integrity, content: hash)
        }
        let (state, check) = try await inspector.inspectWhole(image, hashing: known?.hashing)
        var baselined = BaselinedSnapshot(state: state, integrity: check)
        if let known {
            let hash = try hash(of: known)
            baselined.content = hash
            keep(Baseline(state, check), hash, known)
        }
        return baselined
    }

    private func keep(_ baseline: Baseline?, _ hash: ContentHash, _ known: Recognition) {
        guard let baseline else { return }
        context.baselines?.save(baseline, for: hash, known.mark)
    }
}
