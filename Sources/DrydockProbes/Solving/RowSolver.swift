import DatabaseEngine
import SQLiteSchema

/// Changes a row until it satisfies constraints.
///
/// Where a constraint does not hold, its expression is solved for one of its columns: the value of the other side, as
/// SQLite computes it, is what this side must be, and each operator and function is inverted on the way down to a
/// column. Nothing needs to be exact, since SQLite computes every constraint again on each row that comes out, and
/// the search goes on with the row that breaks the fewest.
struct RowSolver {
    private let judge: RowJudge
    private let columns: ColumnChanges

    /// At most so many rows are computed for one that is sought.
    private static let most = 320
    /// At most so many changes of one row are tried for one constraint, and so many without knowing better.
    private static let mostChanges = 20
    private static let mostGuesses = 30

    init(_ builder: RowBuilder, _ judge: RowJudge, _ freedom: RowFreedom) {
        (self.judge, columns) = (judge, ColumnChanges(builder, freedom))
    }

    /// Returns a row that satisfies the constraints; nil if none was found.
    /// - Parameter work: how many rows may still be computed.
    func solved(_ row: [SQLValue], _ constraints: [Constraint], _ work: inout Int) throws
        -> [SQLValue]?
    {
        let parts = constraints.flatMap(\.conjuncts).map {
            Constraint(
                expression: $0.expression.replacing(columns.plan.generated), isWanted: $0.isWanted,
                allowsNull: $0.allowsNull)
        }
        let constants = parts.flatMap(\.expression.constants)
        let solver = ExpressionSolver(judge: judge, columns: columns, constants: constants)
        let freedom = columns.freedom
        var places: Set<Int> = []
        for part in parts where try !judge.holds(part, row) {
            places.formUnion(columns.places(part.expression))
        }
        var open: [(broken: [Constraint], row: [SQLValue])] = [(try broken(parts, row), row)]
        var seen: Set<[SQLValue]> = [row]
        var left = min(Self.most, work)
        while !open.isEmpty {
            // The first of those that break the fewest, so that the search is broad where nothing gets better.
            let place = open.indices.min { (open[$0].broken.count, $0) < (open[$1].broken.count, $1) } ?? 0
            let best = open.remove(at: place)
            guard let first = best.broken.first else { return best.row }
            var changes: [[SQLValue]] = []
            for constraint in best.broken.prefix(3) {
                if freedom.isUnusual, constraint.allowsNull {
                    changes += columns.places(constraint.expression).compactMap {
                        columns.changed(best.row, $0, .null)
                    }
                }
                changes += try solver.rows(constraint.expression, .truth(constraint.isWanted), best.row)
                    .prefix(Self.mostChanges)
            }
            changes += pool(first.expression, best.row)
            for changed in changes where seen.insert(changed).inserted {
                guard left > 0 else { return try combined(row, parts, places.sorted(), constants, &work) }
                (left, work) = (left - 1, work - 1)
                let broken = try broken(parts, changed)
                if broken.isEmpty { return changed }
                open.append((broken, changed))
            }
        }
        return try combined(row, parts, places.sorted(), constants, &work)
    }

    /// Tries combinations of values in a few columns, each its constants and what is natural there.
    private func combined(
        _ row: [SQLValue], _ constraints: [Constraint], _ places: [Int], _ constants: [SQLValue],
        _ work: inout Int
    ) throws -> [SQLValue]? {
        guard places.count > 1, places.count <= 4 else { return nil }
        var found = [row]
        for place in places {
            let values = constants + columns.natural(place) + (columns.freedom.isUnusual ? [.null] : [])
            let share = places.count == 2 ? 20 : places.count == 3 ? 7 : 4
            found = found.flatMap { row in
                [row] + values.lazy.compactMap { columns.changed(row, place, $0) }.prefix(share)
            }
        }
        for candidate in found.dropFirst().prefix(Self.most * 2) where work > 0 {
            work -= 1
            if try constraints.allSatisfy({ try judge.holds($0, candidate) }) { return candidate }
        }
        return nil
    }

    private func broken(_ constraints: [Constraint], _ row: [SQLValue]) throws -> [Constraint] {
        try constraints.filter { try !judge.holds($0, row) }
    }

    /// Returns rows with other values in the columns of an expression of which nothing better is known, one of each
    /// column after the other.
    private func pool(_ expression: Expression, _ row: [SQLValue]) -> [[SQLValue]] {
        let near = expression.constants.flatMap { value -> [SQLValue] in
            guard case .integer(let number) = value else { return [value] }
            return [value, .integer(number &+ 1), .integer(number &- 1)]
        }
        let null: [SQLValue] = columns.freedom.isUnusual ? [.null] : []
        let choices = columns.places(expression).map { place in
            (null + near + columns.natural(place)).compactMap { columns.changed(row, place, $0) }
        }
        let longest = choices.map(\.count).max() ?? 0
        let turns = (0..<longest).flatMap { turn in
            choices.compactMap { $0.indices.contains(turn) ? $0[turn] : nil }
        }
        return Array(turns.prefix(Self.mostGuesses))
    }
}
