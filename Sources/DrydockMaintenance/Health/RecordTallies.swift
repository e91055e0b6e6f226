import DrydockState
import SQLiteFile

/// What a check counts in the records of a table.
struct RecordTallies: Sendable {
    /// Counts what is wrong with one record: it gets the rowid if there is one, the record, and the page to name if it is
    /// damaged.
    typealias Count =
        @Sendable (_ rowid: Int64?, UnsafeRawBufferPointer, _ page: UInt32, inout [HealthTally]) throws ->
        Void

    private let file: DatabaseFile
    private let root: UInt32
    private let count: Count

    init(_ view: HealthView, root: UInt32, _ count: @escaping Count) {
        (file, self.root, self.count) = (view.file, root, count)
    }

    /// Counts in the records from `range.place` on, as long as there is time; in a tree without rowids in one go.
    /// - Parameters:
    ///   - tallies: one for each kind of fault, without a fault.
    ///   - isProved: whether the pages of the file are known to be whole; then a table is read on all cores.
    /// - Throws: ``FileDamage``, and what `count` throws.
    func add(to range: inout HealthRange, _ tallies: [HealthTally], isProved: Bool) throws {
        var found = tallies
        if isProved, range.isWhole, let parts = try ParallelRows(file, root: root) {
            for part in try parts.map({ rows in try inPart(&rows, tallies) }) {
                for (index, tally) in part.enumerated() { found[index] += tally }
            }
            range.isDone = true
        } else {
            try inTurn(&range, &found)
        }
        for tally in found where tally.count > 0 { range.add(tally) }
    }

    private func inPart(_ rows: inout TreeCursor, _ tallies: [HealthTally]) throws -> [HealthTally] {
        var found = tallies
        var buffer = PayloadBuffer()
        while let row = try rows.next() {
            try count(row.rowid, file.bytes(of: row.payload, in: &buffer), row.payload.page, &found)
        }
        return found
    }

    private func inTurn(_ range: inout HealthRange, _ found: inout [HealthTally]) throws {
        var cursor = try TreeCursor(file, root: root)
        let isTable = cursor.isTable
        if case .rowid(let rowid) = range.place.key {
            guard rowid < .max else {
                range.isDone = true
                return
            }
            try cursor.seek(to: rowid + 1)
        }
        var buffer = PayloadBuffer()
        var records = 0
        while let row = try cursor.next() {
            let bytes = try file.bytes(of: row.payload, in: &buffer)
            try count(isTable ? row.rowid : nil, bytes, row.payload.page, &found)
            records += 1
            guard isTable, records % 256 == 0, !range.goesOn else { continue }
            range.place.key = .rowid(row.rowid)
            return
        }
        range.isDone = true
    }
}
