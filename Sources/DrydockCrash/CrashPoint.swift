import DrydockFindings
import DrydockMigrations
import DrydockReplay

/// A point in a tool's work on a migration: what it did, or was doing.
struct CrashPoint: Sendable, Hashable {
    let call: ToolRun.Call
    let migration: Migration

    init(_ call: ToolRun.Call, of migration: Migration) {
        (self.call, self.migration) = (call, migration)
    }

    init(_ call: ToolRun.Call, in batch: [Migration]) {
        let index =
            switch call {
            case .setup: 0
            case .mark(let index), .statement(let index, _), .commit(let index), .record(let index),
                .whole(let index):
                index
            }
        self.init(call, of: batch[index])
    }

    static func == (a: CrashPoint, b: CrashPoint) -> Bool {
        a.call == b.call && a.migration.identifier == b.migration.identifier
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(call)
        hasher.combine(migration.identifier)
    }

    /// When it had been done, such as `after line 3`.
    var after: String {
        switch call {
        case .setup: "after the tool made its own table"
        case .mark: "before its first statement"
        case .statement: "after line \(line)"
        case .commit: "after its COMMIT"
        case .record: "after it was recorded"
        case .whole: "after it was committed"
        }
    }

    /// While it was done, such as `during line 3`.
    var during: String {
        switch call {
        case .setup: "while the tool made its own table"
        case .mark: "while it was marked as begun"
        case .statement: "during line \(line)"
        case .commit: "during its COMMIT"
        case .record: "while it was recorded"
        case .whole: "while it ran"
        }
    }

    /// Where something failed, such as `at line 3`.
    var at: String {
        switch call {
        case .statement: "at line \(line)"
        case .commit: "at its COMMIT"
        case .setup, .mark, .record, .whole: during
        }
    }

    var place: Finding.Place {
        if case .statement(_, let number) = call { return .init(migration.statements[number]) }
        return .init(file: migration.path)
    }

    private var line: Int { place.line ?? 1 }
}
