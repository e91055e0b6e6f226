import DrydockState
import OverlayVFS

/// A later state of a database that was replayed before, and what was found of the earlier one. What is the same is not
/// checked again, so that the cost grows with what has changed.
package struct LaterState: Sendable {
    package let image: Image
    package let earlier: BaselinedSnapshot?

    /// - Parameter earlier: nil where nothing is known.
    package init(_ image: Image, since earlier: BaselinedSnapshot?) {
        (self.image, self.earlier) = (image, earlier)
    }
}

extension LaterState {
    /// Determines the faults of the state, as another program left it.
    package func baseline(_ inspector: StateInspector) async throws -> BaselinedSnapshot {
        if let earlier {
            let before = earlier.state
            let footprint = image.footprint(since: before.image)
            let state = try await inspector.inspect(image, earlier: before, footprint: footprint)
            // Another schema gives the rows another meaning.
            if earlier.integrity.isFaultless, let changes = state.changes, changes.keepsSchema,
                before.notChecked.isEmpty
            {
                let check = try await inspector.withConnection(to: image) {
                    try IntegrityCheck($0, catalog: state.catalog, since: changes)
                }
                // The earlier state is not kept longer than it is of use.
                var own = state
                own.changes = nil
                return BaselinedSnapshot(state: own, integrity: check)
            }
        }
        let (state, check) = try await inspector.inspectWhole(image)
        return BaselinedSnapshot(state: state, integrity: check)
    }
}
