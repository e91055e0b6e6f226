/// A dropped and an added table or column that may be the same one under two names.
public struct RenameCandidate: Sendable, Hashable {
    /// The table of the column, as the old schema spells it; nil if the candidate is a table.
    public var table: String?
    /// The name of that table in the new schema.
    public var newTable: String?
    public var from: String
    public var to: String
    /// From 0, nothing supports the rename, to 1, nothing contradicts it.
    public var score: Double
    /// What supports the rename.
    public var evidence: String
    /// Whether similar names or values support the rename, and not only the form. Two columns that happen to
    /// have the same form at the same position are common.
    public var isBorneOut: Bool

    /// `table.column` or `table`, as the old schema spells it.
    public var oldPath: String { table.map { "\($0).\(from)" } ?? from }
}

/// A detector of possible renames that sees only the schemas.
///
/// Tables are compared by their columns, columns by their position, type and constraints, and both by their
/// names. A rename is accepted if names or values support it and no other candidate comes close; hints must
/// decide the others.
public struct RenameDetector: Sendable {
    let old: Schema
    let new: Schema

    /// The lowest score of a candidate that is accepted.
    public static let threshold = 0.75
    /// By how much the candidate must lead the next best one for either name.
    public static let lead = 0.15

    public init(from old: Schema, to new: Schema) {
        self.old = old
        self.new = new
    }

    /// Returns candidates: each table that is only in the old schema with each that is only in the new one.
    public func tables() -> [RenameCandidate] {
        let dropped = old.tables.filter { new.tables[$0.key] == nil }.values
        let added = new.tables.filter { old.tables[$0.key] == nil }.values
        return sorted(
            dropped.flatMap { before in
                added.map { after in
                    let isAlike = NameLikeness.areAlike(before.name, after.name)
                    return RenameCandidate(
                        from: before.name, to: after.name,
                        score: Self.score(likeness(before, after), isAlike),
                        evidence: isAlike ? "names and columns alike" : "columns alike", isBorneOut: isAlike)
                }
            })
    }

    /// Returns candidates for columns that only one form of a table has. Generated columns are left out: they
    /// store nothing that a rename would keep.
    /// - Parameter hints: the tables that were renamed.
    public func columns(_ hints: RenameHints) -> [RenameCandidate] {
        var candidates: [RenameCandidate] = []
        for before in old.tables.values {
            guard let after = new.tables[hints.table(before.name)] else { continue }
            let known = Set((hints.columns[before.name.foldedASCII] ?? [:]).values.map(\.foldedASCII))
            for (place, column) in before.columns.enumerated()
            where column.generated == nil && after.column(column.name) == nil
                && hints.columns[before.name.foldedASCII]?[column.name.foldedASCII] == nil
            {
                for (other, target) in after.columns.enumerated()
                where target.generated == nil && before.column(target.name) == nil
                    && !known.contains(target.name.foldedASCII)
                {
                    let isAlike = NameLikeness.areAlike(column.name, target.name)
                    candidates.append(
                        RenameCandidate(
                            table: before.name, newTable: after.name, from: column.name, to: target.name,
                            score: Self.score(likeness(column, at: place, target, at: other), isAlike),
                            evidence: isAlike ? "names and types alike" : "same place and type",
                            isBorneOut: isAlike))
                }
            }
        }
        return sorted(candidates)
    }

    /// Returns the candidates that no other comes close to, and those that need a hint.
    public static func decide(
        _ candidates: [RenameCandidate]
    ) -> (taken: [RenameCandidate], open: [RenameCandidate]) {
        var taken: [RenameCandidate] = []
        var open: [RenameCandidate] = []
        for candidate in candidates where candidate.score >= threshold {
            let rival = candidates.filter { other in
                other != candidate && other.table == candidate.table
                    && (other.from == candidate.from || other.to == candidate.to)
            }.map(\.score).max()
            if !candidate.isBorneOut || rival.map({ $0 > candidate.score - lead }) ?? false {
                open.append(candidate)
            } else {
                taken.append(candidate)
            }
        }
        return (taken, open)
    }

    /// A candidate with only a similar form ranks below one with similar names too.
    private static func score(_ likeness: Double, _ isAlike: Bool) -> Double {
        guard likeness > 0 else { return 0 }
        return isAlike ? min(1, likeness + 0.3) : likeness * 0.8
    }

    private func sorted(_ candidates: [RenameCandidate]) -> [RenameCandidate] {
        candidates.sorted { ($0.table ?? "", $0.from, $0.to) < ($1.table ?? "", $1.from, $1.to) }
    }

    /// Returns the share of columns that both tables have with the same affinity.
    private func likeness(_ a: Table, _ b: Table) -> Double {
        let shared = a.columns.filter { column in
            b.column(column.name).map { $0.affinity == column.affinity } ?? false
        }.count
        return Double(shared) / Double(max(a.columns.count, b.columns.count, 1))
    }

    private func likeness(_ a: Column, at i: Int, _ b: Column, at j: Int) -> Double {
        guard a.affinity == b.affinity else { return 0 }
        var score = 0.4
        if a.declaredType.foldedASCII == b.declaredType.foldedASCII { score += 0.1 }
        if (a.notNull == nil) == (b.notNull == nil) { score += 0.1 }
        if DefaultValue.sameMeaning(a.defaultValue, b.defaultValue) { score += 0.1 }
        if i == j { score += 0.3 }
        return score
    }
}

extension RenameHints {
    /// Returns these hints and the detected renames; where they conflict, these hints win.
    public func adding(_ candidates: [RenameCandidate]) -> RenameHints {
        var tables = tables
        var columns = columns
        for candidate in candidates {
            if let table = candidate.table {
                let key = table.foldedASCII
                columns[key] = (columns[key] ?? [:]).merging([candidate.from.foldedASCII: candidate.to]) {
                    a, _ in a
                }
            } else {
                tables[candidate.from.foldedASCII] = tables[candidate.from.foldedASCII] ?? candidate.to
            }
        }
        return RenameHints(tables: tables, columns: columns)
    }
}
