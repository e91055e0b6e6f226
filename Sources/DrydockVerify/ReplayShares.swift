import DrydockMigrations
import DrydockReplay
import Synchronization

/// What a run over many databases shares: a ``ReplayShare`` for those whose histories decide alike which tool the
/// migrations are for. Mostly that is one for all.
package final class ReplayShares: Sendable {
    private let choice: FormatChoice
    private let made = Mutex<[FormatChoice.Decision: ReplayShare]>([:])

    package init(_ choice: FormatChoice) { self.choice = choice }

    /// The share of all databases; nil where it depends on their histories.
    package var ofAll: ReplayShare? { choice.needsHistory ? nil : share(HistoryFacts()) }

    /// Returns the share of the databases with such a history.
    package func share(_ facts: HistoryFacts) -> ReplayShare {
        let decision = choice.decision(by: facts)
        return made.withLock { made in
            if let known = made[decision] { return known }
            let new = ReplayShare(choice.needsHistory ? [facts] : [])
            made[decision] = new
            return new
        }
    }
}
