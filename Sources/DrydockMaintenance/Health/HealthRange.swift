import DrydockFindings
import DatabaseEngine
import SQLiteFile

/// How far a check has come in one table, slice by slice, and what it has found.
struct HealthRange: Sendable {
    /// Where the check continues.
    struct Place: Codable, Sendable, Equatable {
        /// The number of the pass over the table and its indexes.
        var pass = 0
        /// The key of the last row or entry that was checked; nil at the beginning of a pass.
        var key: TreeCheck.Place?
    }

    var place = Place()
    var isDone = false
    /// The share of a slice that may be used; reduced each time that it was too long.
    var share = HealthRange.largestShare
    private(set) var deadline = ContinuousClock.now
    private(set) var tallies: [HealthTally] = []
    var notReached: [CheckedDatabase.NotReached] = []

    static let largestShare = 0.5

    init(place: Place = Place()) { self.place = place }

    /// Whether no slice ends before the table does.
    private(set) var isWhole = false

    /// The range of the whole table, in one go.
    static var whole: HealthRange {
        var range = HealthRange()
        range.begin(slice: .seconds(1_000_000_000))
        range.isWhole = true
        return range
    }

    /// Whether there is time left in this slice.
    var goesOn: Bool { ContinuousClock.now < deadline }

    mutating func begin(slice: Duration) { deadline = .now + slice * share }

    /// Moves to the next pass.
    mutating func next() { place = Place(pass: place.pass + 1) }

    /// Adds what a slice found to what earlier ones found.
    mutating func add(_ new: HealthTally) {
        if let index = tallies.firstIndex(where: { $0.isSame(as: new) }) {
            tallies[index] += new
        } else {
            tallies.append(new)
        }
    }

    /// Where it stopped, for people to read.
    var description: String {
        switch place.key {
        case .rowid(let rowid): "behind row \(rowid)"
        case .key, nil: place.pass == 0 ? "of its rows" : "of its indexes"
        }
    }
}

/// The number of faults of one object of a table.
struct HealthTally: Sendable {
    /// The object: an index, a column, a key.
    var object: String?
    /// The kind of fault, if an object can have several.
    var kind = ""
    var evidence = Evidence(rowCount: 0)

    init(_ object: String?, kind: String = "") { (self.object, self.kind) = (object, kind) }

    var count: Int { evidence.rowCount ?? 0 }

    /// - Parameter rowid: the rowid of an affected row, if it has one.
    mutating func add(rowid: Int64?) {
        guard let rowid else { return evidence.rowCount = count + 1 }
        let sample = Evidence.Sample(.integer(rowid), encoding: .utf8)
        add(.init(key: [.init(column: "rowid", value: sample)]))
    }

    /// - Parameter row: made only where it is shown.
    mutating func add(_ row: @autoclosure () throws -> Evidence.Row) rethrows {
        evidence.rowCount = count + 1
        if evidence.rows.count < Evidence.rowLimit { try evidence.rows.append(row()) }
    }

    mutating func add(detail: String) {
        evidence.rowCount = count + 1
        evidence.details.append(detail)
    }

    func isSame(as other: HealthTally) -> Bool { object == other.object && kind == other.kind }

    static func += (tally: inout HealthTally, more: HealthTally) {
        tally.evidence.rowCount = tally.count + more.count
        let room = Evidence.rowLimit - tally.evidence.rows.count
        tally.evidence.rows += more.evidence.rows.prefix(max(0, room))
        tally.evidence.details += more.evidence.details
    }
}

/// A check that can read one table in ranges of its keys, so that no slice is too short for it.
protocol RangedHealthCheck: HealthCheck {
    /// Checks the table from `range.place` on, as long as there is time.
    /// - Throws: ``EngineError`` or ``FileDamage`` if the check cannot be made.
    func check(_ view: HealthView, part: String, _ range: inout HealthRange) throws

    /// Returns the findings in the tallies of a table.
    func findings(_ tallies: [HealthTally], part: String) -> [Finding]
}

extension RangedHealthCheck {
    /// Checks the whole table in one go.
    func checkWhole(_ view: HealthView, part: String) throws -> HealthResult {
        var range = HealthRange.whole
        while !range.isDone { try check(view, part: part, &range) }
        return HealthResult(findings(range.tallies, part: part), notReached: range.notReached)
    }
}
