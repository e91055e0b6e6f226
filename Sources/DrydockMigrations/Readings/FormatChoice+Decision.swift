extension FormatChoice {
    /// All that a database's history adds to the choice: two databases with the same decision are read in the same way.
    package struct Decision: Hashable, Sendable {
        fileprivate struct Candidate: Hashable {
            /// Whether the format takes the history for its own.
            var isOwner: Bool
            /// Where it would look for the history.
            var table: String?
        }

        /// Empty where the folder alone decides.
        fileprivate var candidates: [Candidate] = []
    }

    package func decision(by facts: HistoryFacts) -> Decision {
        guard needsHistory else { return Decision() }
        return Decision(
            candidates: candidates.map { candidate in
                let format = named(candidate.format, candidate.evidence, [facts])
                return Decision.Candidate(isOwner: format.owns(facts), table: format.historyTable)
            })
    }
}
