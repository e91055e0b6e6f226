import DatabaseEngine
import SQLiteSchema

/// The values that constraints leave a column in one row.
struct Domain: Sendable {
    var values: [SQLValue]?
    var excluded: Set<SQLValue> = []
    var low: (value: SQLValue, isIncluded: Bool)?
    var high: (value: SQLValue, isIncluded: Bool)?
    var lengths: ClosedRange<Int> = 0...Int.max
    var pattern: TextPattern?
    var alphabet: [Character]?
    /// Texts that must not occur.
    var absent: [String] = []
    var isNull: Bool?
    var json: JSONShape?
    var forms: Set<TextForm> = []
    var storage: Set<String>?

    /// Whether nothing but the type decides about the value.
    var isFree: Bool {
        values == nil && low == nil && high == nil && lengths == 0...Int.max && pattern == nil
            && alphabet == nil && absent.isEmpty && isNull == nil && forms.isEmpty && storage == nil
    }

    /// Adds a condition on the column; returns false, and may be half changed, where nothing would remain.
    mutating func add(_ condition: Condition, affinity: Affinity) -> Bool {
        switch condition {
        case .isIn(_, let list):
            let list = list.map { $0.stored(as: affinity) }
            values = values.map { $0.filter(list.contains) } ?? Self.unique(list)
            isNull = isNull ?? false
        case .isNotIn(_, let list): excluded.formUnion(list.map { $0.stored(as: affinity) })
        case .bound(_, let comparison, let value): tighten(comparison, value.stored(as: affinity))
        case .length(_, let range):
            guard range.overlaps(lengths) else { return false }
            lengths = lengths.clamped(to: range)
        case .pattern(_, let pattern):
            if (self.pattern?.parts.count ?? 0) < pattern.parts.count { self.pattern = pattern }
        case .excludes(_, let pattern):
            if let members = pattern.alphabetIfExcluded {
                alphabet = alphabet.map { $0.filter(members.contains) } ?? members
            } else if let text = pattern.textIfExcluded {
                absent.append(text)
            }
        case .isNull:
            guard isNull != false, values == nil else { return false }
            isNull = true
        case .isNotNull:
            guard isNull != true else { return false }
            isNull = false
        case .json(_, let shape): json = json == nil || json == .any ? shape : json
        case .form(_, let form): forms.insert(form)
        case .storage(_, let types): storage = storage?.intersection(types) ?? types
        case .order, .unknown: break
        }
        guard isNull != true || values == nil else { return false }
        guard !allowed.isEmpty || values == nil else { return false }
        return isRangeOpen
    }

    /// The values of an enumeration that are left.
    var allowed: [SQLValue] { (values ?? []).filter(allows) }

    /// Returns whether a value is in the range and not excluded.
    func allows(_ value: SQLValue) -> Bool {
        if excluded.contains(value) { return false }
        if let low, let order = Self.order(value, low.value), order < 0 || order == 0 && !low.isIncluded {
            return false
        }
        if let high, let order = Self.order(value, high.value), order > 0 || order == 0 && !high.isIncluded {
            return false
        }
        return true
    }

    /// Whether a number lies between the bounds.
    private var isRangeOpen: Bool {
        guard let low, let high, let order = Self.order(low.value, high.value) else { return true }
        return order < 0 || order == 0 && low.isIncluded && high.isIncluded
    }

    private mutating func tighten(_ comparison: Condition.Comparison, _ value: SQLValue) {
        let isIncluded = comparison == .lessOrEqual || comparison == .greaterOrEqual
        switch comparison {
        case .greater, .greaterOrEqual:
            if let low, let order = Self.order(low.value, value), order > 0 || order == 0 && !low.isIncluded {
                return
            }
            low = (value, isIncluded)
        case .less, .lessOrEqual:
            if let high, let order = Self.order(high.value, value),
                order < 0 || order == 0 && !high.isIncluded
            {
                return
            }
            high = (value, isIncluded)
        case .equal, .different: break
        }
    }

    /// Returns -1, 0 or 1 for two numbers or two texts; nil for anything else.
    static func order(_ a: SQLValue, _ b: SQLValue) -> Int? {
        if let a = a.number, let b = b.number { return a < b ? -1 : a > b ? 1 : 0 }
        if case .text(let a) = a, case .text(let b) = b {
            return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
        }
        return nil
    }

    private static func unique(_ list: [SQLValue]) -> [SQLValue] {
        var seen: Set<SQLValue> = []
        return list.filter { seen.insert($0).inserted }
    }
}
