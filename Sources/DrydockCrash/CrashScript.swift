import DrydockFindings
import DrydockMigrations
import DrydockReplay
import SQLiteSchema

/// A crash for SQLite's own shell: the statements of migrations up to it, and those of the starts that follow.
struct CrashScript {
    /// What is done before the crash.
    let migration: [String]
    let sequels: [Counterexample.Sequel]

    init(_ cut: CrashCut, of batch: [Migration]) {
        var (sequels, left): ([Counterexample.Sequel], [Migration]) = ([], batch)
        if case .between = cut.cause {
            migration = []
        } else {
            migration = Self.statements(of: batch, to: cut.point, cut.isDone)
            left = Self.unrecorded(batch, at: cut.point)
        }
        if case .again(let second) = cut.cause {
            sequels.append(
                .init(
                    title:
                        "Killed \(cut.point.after), the tool is started again, and killed \(second.after)",
                    statements: Self.statements(of: left, to: second, true)))
            left = Self.unrecorded(left, at: second)
        }
        let when = sequels.isEmpty ? cut.text : "then"
        // The tool stops at the first error, unlike the shell.
        let start = [".bail on"] + StepScript.statements(of: left) + [".bail off"]
        sequels.append(
            .init(
                title: "\(when.prefix(1).uppercased() + when.dropFirst()), the tool is started again",
                statements: start + Self.rows(of: batch)))
        self.sequels = sequels
    }

    /// Returns what is done of migrations until a moment.
    /// - Parameter isDone: whether the statement of the moment was done.
    private static func statements(
        of batch: [Migration], to point: CrashPoint, _ isDone: Bool
    ) -> [String] {
        guard let place = batch.firstIndex(where: { $0.identifier == point.migration.identifier }) else {
            return []
        }
        var own = batch[place]
        let isWhole: Bool
        switch point.call {
        case .setup, .mark: (own.statements, isWhole) = ([], false)
        case .statement(_, let number):
            isWhole = false
            own.statements = Array(own.statements.prefix(isDone ? number + 1 : number))
        case .commit: isWhole = isDone
        case .record, .whole: isWhole = true
        }
        let before = StepScript.statements(of: Array(batch[..<place]))
        var script = StepScript.statements(of: [own])
        if isWhole { return before + script }
        if own.transaction != .none { script[script.count - 1] = "ROLLBACK" }
        // A new connection has none of these.
        return before + script
            + own.statements.compactMap(\.temporaryTable).map {
                "DROP TABLE IF EXISTS temp.\(quotedName($0))"
            }
    }

    /// Returns the migrations of which nothing is recorded at a moment.
    private static func unrecorded(_ batch: [Migration], at point: CrashPoint) -> [Migration] {
        guard let place = batch.firstIndex(where: { $0.identifier == point.migration.identifier }) else {
            return batch
        }
        switch point.call {
        case .record, .whole: return Array(batch[(place + 1)...])
        case .setup, .mark, .statement, .commit: return Array(batch[place...])
        }
    }

    /// Returns queries for the tables that the migrations make or write to, and leave.
    private static func rows(of batch: [Migration]) -> [String] {
        var names: [String] = []
        for statement in batch.flatMap(\.statements) {
            switch statement.action {
            case .createTable(let table, temporary: false, _), .insert(let table, _, _),
                .update(let table, _), .delete(let table):
                if table.schema?.foldedASCII != "temp", !names.contains(table.name) {
                    names.append(table.name)
                }
            case .renameTable(let table, let new):
                names.removeAll { [table.name.foldedASCII, new.foldedASCII].contains($0.foldedASCII) }
                names.append(new)
            case .dropTable(let table):
                names.removeAll { $0.foldedASCII == table.name.foldedASCII }
            default: break
            }
        }
        let temporary = Set(batch.flatMap(\.statements).compactMap(\.temporaryTable).map(\.foldedASCII))
        return names.filter { !temporary.contains($0.foldedASCII) }.map {
            "SELECT \(quotedText("then, \($0):")), * FROM \(quotedName($0))"
        }
    }
}

extension CrashCut {
    /// Whether what was being done at the moment was done.
    fileprivate var isDone: Bool {
        switch cause {
        case .kill, .between, .again: true
        case .killDuring, .powerCut, .diskFull, .busy: false
        }
    }
}

extension SQLStatement {
    /// The name of the temporary table that it makes.
    fileprivate var temporaryTable: String? {
        guard case .createTable(let name, let temporary, _) = action,
            temporary || name.schema?.foldedASCII == "temp"
        else { return nil }
        return name.name
    }
}
