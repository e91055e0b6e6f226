import DrydockFindings
import Foundation

/// A baseline as a line of a lock: the word `clean`, or the faults as JSON. The page parents are left out: they are
/// large, and are read again from the pages.
extension Baseline {
    private static let clean = "clean"
    /// Longer baselines are not recorded, because they would fill the lock; they are computed again. In bytes.
    private static let limit = 2000

    /// Nil when the baseline is too long for a line that people read.
    package var lockText: String? {
        guard !isClean else { return Self.clean }
        let plain = Baseline(
            integrity: integrity, faults: faults.map(\.withoutValues), notChecked: notChecked, parents: nil)
        guard let data = try? jsonDocument(plain, isIndented: false), data.count <= Self.limit else {
            return nil
        }
        return String(decoding: data, as: UTF8.self)
    }

    package init?(lockText: String) {
        if lockText == Self.clean {
            self.init(integrity: IntegrityCheck(), faults: [], notChecked: [], parents: nil)
        } else {
            guard let baseline = try? JSONDecoder().decode(Baseline.self, from: Data(lockText.utf8)) else {
                return nil
            }
            self = baseline
        }
    }

    private var isClean: Bool {
        faults.isEmpty && notChecked.isEmpty && integrity.damage.isEmpty
            && integrity.brokenConstraints.isEmpty
            && integrity.notChecked.isEmpty
    }
}

extension Fault {
    /// Everybody may read a lock: it holds rowids but no values.
    fileprivate var withoutValues: Fault {
        guard sentence.redacted != nil else { return self }
        var fault = self
        fault.sentence = Sentence(sentence.withoutValues)
        fault.evidence?.rows = []
        return fault
    }
}
