import DatabaseEngine
import DrydockMigrations
import DrydockState

/// What declarations allow a table to lose.
struct Allowance: Sendable {
    /// Rows that match one of these conditions may go.
    var conditions: [String] = []
    /// Values of these columns may go (folded); nil stands for all columns.
    var columns: Set<String?> = []

    init(conditions: [String]) { self.conditions = conditions }

    /// - Parameter successor: the table that has the rows afterwards, by whose name a declaration may call the table.
    init(of table: Catalog.Table, now successor: Catalog.Table? = nil, _ declarations: [Declaration]) {
        let names = [table, successor].compactMap { $0?.name.foldedASCII }
        for declaration in declarations {
            switch declaration.kind {
            case .deletes(let name, _) where names.contains(name.foldedASCII):
                conditions.append(declaration.kind.condition)
            case .rewrites(let name, let column) where names.contains(name.foldedASCII):
                columns.insert(column?.foldedASCII)
            default: break
            }
        }
    }

    static let nothing = Allowance(conditions: [])

    var isEmpty: Bool { conditions.isEmpty && columns.isEmpty }

    /// True of a row that may go.
    var condition: String {
        conditions.isEmpty
            ? "0" : "(" + conditions.map { "coalesce((\($0)), 0)" }.joined(separator: " OR ") + ")"
    }

    /// Returns the conditions if every row of a table that matches one is gone: the values of one that remains are owed.
    func conditions(
        met table: Catalog.Table, _ difference: TableDifference, _ connection: any Connection
    ) throws -> [String] {
        guard difference.declaredLost > 0 else { return [] }
        do {
            let meeting = try connection.count("SELECT count(*) FROM \(table.earlier) WHERE \(condition)")
            return meeting == difference.declaredLost ? conditions : []
        } catch let error as EngineError where error.isOfExpression {
            return []
        }
    }

    func rewrites(_ column: Catalog.Column) -> Bool {
        columns.contains(nil) && column.keyPosition == 0 || columns.contains(column.name.foldedASCII)
    }
}

extension Catalog.Column {
    /// Whether a declaration lets the column of a table go.
    func isDropped(from pair: TableMatch, _ declarations: [Declaration]) -> Bool {
        declarations.contains {
            $0.kind.isDrop(of: name.foldedASCII, in: [pair.before.name, pair.after.name])
        }
    }
}

extension Declaration.Kind {
    func isDeletion(from pair: TableMatch) -> Bool {
        if case .deletes(let table, _) = self { pair.isCalled(table) } else { false }
    }

    /// A condition that every row matches.
    static var everyRow: String { "1" }

    /// The condition of a `deletes from` declaration; every row matches where it names none.
    var condition: String {
        if case .deletes(_, let condition?) = self { condition } else { Self.everyRow }
    }
}
