import DrydockFindings
import Foundation
import SQLiteFile

/// What is known of a snapshot before anything is replayed on it. It is expensive to compute, and stays true as long as
/// the snapshot's bytes are unchanged.
package struct Baseline: Sendable, Codable {
    /// The integrity check of the whole database.
    package var integrity: IntegrityCheck
    /// The faults found by the rules that read rows.
    var faults: [Fault]
    var notChecked: [NotChecked]
    /// The words of ``PageParents``; nil where only SQLite can read the pages.
    private var words: Data?

    init(integrity: IntegrityCheck, faults: [Fault], notChecked: [NotChecked], parents: PageParents?) {
        self.integrity = integrity
        self.faults = faults
        self.notChecked = notChecked
        words = parents.map { parents in
            parents.words.map(\.littleEndian).withUnsafeBytes { Data($0) }
        }
    }

    var parents: PageParents? {
        words.map { data in
            PageParents(
                words: data.withUnsafeBytes { bytes in
                    stride(from: 0, to: bytes.count & ~3, by: 4).map {
                        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
                    }
                })
        }
    }
}

extension Baseline {
    /// What is wrong, a line each.
    package var messages: [String] {
        integrity.damage + integrity.brokenConstraints + faults.map(\.sentence.withoutValues)
    }

    /// nil where a limit of this run kept something from being checked: another run may check it.
    package init?(_ state: DatabaseState, _ integrity: IntegrityCheck) {
        guard !state.notChecked.contains(where: \.cause.isLimit) else { return nil }
        self.init(
            integrity: integrity, faults: state.faults.filter { Self.rules.contains($0.id.rule) },
            notChecked: state.notChecked.filter { Self.rules.contains($0.rule) },
            parents: state.pages?.parents)
    }

    /// The rules that ``faults`` covers.
    static let rules: Set<Rule> = [.foreignKeyViolation, .searchIndexStale, .tableUnreadable]
}
