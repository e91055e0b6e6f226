import Drydock
import SQLiteSchema

/// Differences by the table and column that they are drawn in.
struct DiagramChanges {
    struct Change {
        var mark: EntityDiagram.Mark
        var words: String
    }

    private(set) var dropped: [Table] = []
    private(set) var droppedVirtual: [VirtualTable] = []
    /// By folded table name, then by folded column name.
    private(set) var columns: [String: [String: Change]] = [:]
    private(set) var droppedColumns: [String: [Column]] = [:]
    /// By folded table name, then by the folded columns of the key.
    private(set) var foreignKeys: [String: [[String]: EntityDiagram.Mark]] = [:]
    private(set) var droppedKeys: [String: [ForeignKey]] = [:]
    /// Indexes, triggers, constraints and options.
    private(set) var notes: [String: [Change]] = [:]

    private var marks: [String: EntityDiagram.Mark] = [:]
    private var abouts: [String: String] = [:]

    init(_ changes: [SchemaChange]) {
        for change in changes { add(change) }
    }

    /// Returns what happened to a table; nil if nothing did.
    func mark(of table: String) -> EntityDiagram.Mark? { marks[table.foldedASCII] }

    /// Returns what to say of a table besides.
    func about(_ table: String) -> String? { abouts[table.foldedASCII] }

    private mutating func add(_ change: SchemaChange) {
        guard let name = change.table?.foldedASCII else { return }
        switch change {
        case .tableAdded, .virtualTableAdded: marks[name] = .added
        case .tableDropped(let table): dropped.append(table)
        case .virtualTableDropped(let table): droppedVirtual.append(table)
        case .tableRenamed(let from, _):
            marks[name] = marks[name] ?? .changed
            abouts[name] = "renamed from \(from)"
            notes[name, default: []].append(Change(mark: .changed, words: "renamed from \(from)"))
        case .table(_, let change): add(change, name)
        case .indexDropped, .triggerDropped:
            // With a dropped table go its indexes.
            if let words = change.object {
                marks[name] = marks[name] ?? .changed
                notes[name, default: []].append(Change(mark: .dropped, words: words))
            }
        default:
            marks[name] = marks[name] ?? .changed
            if let words = change.object {
                notes[name, default: []].append(Change(mark: .init(change.sign), words: words))
            }
        }
    }

    private mutating func add(_ change: TableChange, _ table: String) {
        marks[table] = marks[table] ?? .changed
        func note(_ column: String, _ mark: EntityDiagram.Mark, _ words: String) {
            let known = columns[table]?[column.foldedASCII]
            columns[table, default: [:]][column.foldedASCII] = Change(
                mark: known?.mark == .added ? .added : mark,
                words: known.map { "\($0.words); \(words)" } ?? words)
        }
        switch change {
        case .columnAdded(let column): note(column.name, .added, "added")
        case .columnDropped(let column): droppedColumns[table, default: []].append(column)
        case .columnRenamed(let from, let to): note(to, .changed, "renamed from \(from)")
        case .columnRespelled(let from, let to): note(to, .changed, "was spelled \(from)")
        case .column(let name, let change): note(name, .changed, change.description)
        case .foreignKeyAdded(let key): foreignKeys[table, default: [:]][key.folded] = .added
        case .foreignKeyDropped(let key): droppedKeys[table, default: []].append(key)
        case .foreignKey(let columns, let change):
            foreignKeys[table, default: [:]][columns.map(\.foldedASCII)] = .changed
            if let column = columns.first { note(column, .changed, change.description) }
        case .columnOrder: break
        case .uniqueAdded(let unique):
            notes[table, default: []].append(Change(mark: .added, words: "UNIQUE \(unique.list)"))
        case .uniqueDropped(let unique):
            notes[table, default: []].append(Change(mark: .dropped, words: "UNIQUE \(unique.list)"))
        case .checkAdded(let check):
            notes[table, default: []].append(Change(mark: .added, words: "CHECK (\(check.expression))"))
        case .checkDropped(let check):
            notes[table, default: []].append(Change(mark: .dropped, words: "CHECK (\(check.expression))"))
        default:
            notes[table, default: []].append(Change(mark: .changed, words: change.description))
        }
    }
}

extension ForeignKey {
    fileprivate var folded: [String] { columns.map(\.foldedASCII) }
}

extension UniqueConstraint {
    fileprivate var list: String { "(\(terms.map(\.column).joined(separator: ", ")))" }
}

extension SchemaChange {
    /// The index or the like that is added, dropped or changed, without the table in which it is drawn.
    fileprivate var object: String? {
        func terms(_ index: Index) -> String { "(\(index.terms.map(\.description).joined(separator: ", ")))" }
        return switch self {
        case .indexAdded(let index): "\(index.isUnique ? "unique " : "")index \(index.name) \(terms(index))"
        case .indexDropped(let index): "\(index.isUnique ? "unique " : "")index \(index.name)"
        case .triggerAdded(let trigger), .triggerDropped(let trigger): "trigger \(trigger.name)"
        case .index, .trigger, .virtualTable, .unparsedAdded, .unparsedDropped, .unparsedChanged, .respelled:
            description
        default: nil
        }
    }
}
