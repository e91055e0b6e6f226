import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import DrydockState
import Foundation
import OverlayVFS
import SQLiteSchema

/// One run of ``SubsetMaker``.
struct SubsetRun: Sendable {
    let engine: any Engine
    let request: SubsetRequest
    let onStage: @Sendable (SubsetStage) -> Void
    let stop = StopFlag()
    let release = MemoryRelease()
    private let masker: Masker
    private let hasRandomKey: Bool

    init(
        engine: any Engine, request: SubsetRequest, onStage: @escaping @Sendable (SubsetStage) -> Void
    ) {
        (self.engine, self.request, self.onStage) = (engine, request, onStage)
        let key = request.masks.key ?? MaskKey()
        let stop = stop
        (masker, hasRandomKey) = (Masker(key) { stop.value }, key.isRandom)
    }

    /// Of both databases.
    var settings: ConnectionSettings {
        var settings = ConnectionSettings()
        settings.foreignKeys = false
        settings.doubleQuotedStrings = true
        (settings.functions, settings.collations) = (request.functions, request.collations)
        settings.computed = [masker.function]
        return settings
    }

    /// What was found while rows were copied.
    private struct Copied: Sendable {
        var report: SubsetReport
        var refused: [Int: Int] = [:]
    }

    /// - Throws: ``LiveOverlay/Outlasted`` if the database was written so that there is no one moment.
    func make(_ live: LiveOverlay) async throws -> SubsetReport {
        let source = try await live.slice { [request, release] slice in
            try release.reading(slice.image) {
                try SubsetSource(reading: slice.connection, historyTables: request.historyTables)
            }
        }
        try check(source)
        let plan = try MaskPlan(request.masks, source, masker)
        var report = SubsetReport(request)
        if !request.masks.isWanted {
            report.notes.append(
                "no column is masked: the file has the database's own values; --mask-auto masks what looks private"
            )
        }
        if request.masks.isStrict, !request.masks.isAuto {
            let summary = plan.summary(left: [:])
            if !summary.unsettled.isEmpty { return unsettled(report, summary) }
        }
        let file = try NewFile.begin(request.output)
        let target = SubsetTarget(source: source)
        let missing = try await use(file) { try target.makeTables($0) }
        let uri = fileURI(of: file.path) + "&vfs=\(Self.diskVFS)"
        var copied = try await live.slice { [report] slice in
            try release.reading(slice.image) {
                let now = try SubsetSource(reading: slice.connection, historyTables: request.historyTables)
                guard now.entries == source.entries else { throw LiveOverlay.Outlasted() }
                var copied = Copied(report: report)
                copied.report.bytes.before = slice.image.byteCount
                try copy(now, plan, slice.connection, uri, &copied)
                return copied
            }
        }
        if request.masks.isStrict, !copied.report.masks.unsettled.isEmpty {
            return unsettled(report, copied.report.masks)
        }
        onStage(.checking)
        copied.report.notes += missing.map(\.note)
        return try await finish(file, target, copied, Set(missing.map(\.name)))
    }

    /// SQLite's own way to the disk, which an overlay's connection does not use by itself.
    private static let diskVFS = "unix"

    private func unsettled(_ report: SubsetReport, _ masks: MaskSummary) -> SubsetReport {
        var report = report
        report.masks = masks
        return report
    }

    private func check(_ source: SubsetSource) throws {
        if source.entries.isEmpty {
            throw RequestError(.refused, "'\(request.database)' has no table; nothing was written")
        }
        for (name, flag) in request.conditions.keys.map({ ($0, "--where") })
            + request.children.map({ ($0, "--children") })
        {
            guard source.table(name) == nil else { continue }
            let near = nearestName(to: name, in: source.tables.map(\.name))
            throw RequestError(
                .settingInvalid,
                "\(flag) \(VisibleText.line(name)): there is no such table"
                    + (near.map { "; did you mean \(quotedIfNeeded($0))?" } ?? ""))
        }
        for name in request.children
        where !source.links.contains(where: { $0.child.foldedASCII == name.foldedASCII }) {
            throw RequestError(
                .settingInvalid,
                "--children \(VisibleText.line(name)): the table has no foreign key, so its rows belong to none"
            )
        }
        if let table = source.unreadable.first(where: {
            source.schema.virtualTables[$0.name.foldedASCII] == nil
        }) {
            throw RequestError(
                .refused,
                "\(quotedIfNeeded(table.name)) cannot be read: \(table.error.message); nothing was written")
        }
    }

    private func use<Result: Sendable>(
        _ file: TemporaryCopy, _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        var settings = settings
        settings.interrupt = { [stop] in stop.value }
        return try await engine.use(.uri(fileURI(of: file.path)), settings: settings) {
            try await $0.withConnection(body)
        }
    }

    // MARK: - The rows

    private func copy(
        _ source: SubsetSource, _ plan: MaskPlan, _ connection: any Connection, _ uri: String,
        _ copied: inout Copied
    ) throws {
        try connection.execute("ATTACH \(quotedText(uri)) AS subset")
        for pragma in ["subset.journal_mode = OFF", "subset.synchronous = OFF"] {
            _ = try connection.rows("PRAGMA \(pragma)") { _ in }
        }
        // Values of the database that break a CHECK are kept.
        if !request.isOnlyValid { try connection.execute("PRAGMA ignore_check_constraints = ON") }
        try connection.execute("BEGIN")
        do {
            try choose(source, connection, &copied)
            try write(source, plan, connection, &copied)
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
        try connection.execute("DETACH subset")
    }

    private func choose(
        _ source: SubsetSource, _ connection: any Connection, _ copied: inout Copied
    ) throws {
        var choice = RowChoice(connection, source, request)
        let closure = ReferenceClosure(connection: connection, source: source)
        try choice.prepare()
        for table in source.tables where table.leader.flatMap(source.table)?.isKeyless ?? true {
            onStage(.choosing(table: table.name))
            try choice.choose(table)
        }
        onStage(.following)
        try closure.addParents()
        let wanted = Set(request.children.map(\.foldedASCII))
        for table in source.tables where wanted.contains(table.folded) { try closure.addChildren(in: table) }
        if !wanted.isEmpty { try closure.addParents() }
        if request.isOnlyValid { try closure.dropOrphans() }
        try closure.addFollowers()
        copied.report.orphans = try closure.orphans()
        for table in source.tables {
            let rows = table.isKeyless ? table.source : table.chosen
            let count = try connection.firstRow("SELECT count(*) FROM \(rows)") { Int($0.integer(0)) } ?? 0
            copied.report.tables.append(
                .init(
                    table: table.name, rows: count,
                    total: table.isKeyless ? count : choice.totals[table.number]))
        }
        guard copied.report.rowCount > 0 else {
            throw RequestError(.refused, "'\(request.database)' gives no row to keep; nothing was written")
        }
    }

    private func write(
        _ source: SubsetSource, _ plan: MaskPlan, _ connection: any Connection, _ copied: inout Copied
    ) throws {
        var plan = plan
        var left: [MaskPlan.Place: String] = [:]
        if request.masks.isAuto {
            left = try MaskAdvice(connection: connection, source: source).complete(&plan)
        }
        if request.masks.isWanted {
            copied.report.masks = plan.summary(left: left)
            copied.report.masks.hasRandomKey = hasRandomKey && !plan.isEmpty
            if request.masks.isStrict, !copied.report.masks.unsettled.isEmpty { return }
            if plan.isEmpty {
                copied.report.notes.append("no column is masked: the file has the database's own values")
            }
            try MaskTrial(connection: connection, source: source).settle(&plan)
        }
        var copy = SubsetCopy(connection, source, plan)
        for table in source.tables {
            onStage(.copying(table: table.name))
            try copy.copy(table)
        }
        try copy.copySequences()
        try copy.copySearchSettings()
        for (number, count) in copy.refused {
            let table = source.tables[number]
            let isMasked = table.columns.contains { plan.isMasked($0, in: table) }
            if isMasked, !request.isOnlyValid {
                throw RequestError(
                    .refused,
                    "SQLite refuses \(counted(count, "row")) of \(quotedIfNeeded(table.name)) with masks; nothing was written. "
                        + "Leave a column of the table out of the masks")
            }
            copied.report.notes.append(
                "\(counted(count, "row")) of \(quotedIfNeeded(table.name)) left out: they break its constraints"
            )
            copied.report.tables[number].rows -= count
        }
        copied.refused = copy.refused
        copied.report.notes += try MaskGaps(connection: connection, source: source, plan: plan).notes()
    }

    // MARK: - The end

    private func finish(
        _ file: TemporaryCopy, _ target: SubsetTarget, _ copied: Copied, _ missing: Set<String>
    ) async throws -> SubsetReport {
        var report = copied.report
        let (notes, check) = try await use(file) { connection in
            let notes = try target.finish(connection, without: missing)
            return (notes, try SubsetCheck(connection, target.source))
        }
        report.notes += notes + check.notes
        if let message = check.faults.first {
            throw RequestError(
                .refused, "SQLite finds the new file faulty, so it was not kept: \(VisibleText.line(message))"
            )
        }
        if let message = check.brokenChecks.first {
            report.notes.append(
                "rows that break a constraint are kept: \(VisibleText.line(message))"
                    + (check.brokenChecks.count > 1 ? ", and \(check.brokenChecks.count - 1) more" : ""))
        }
        report.orphans += check.withoutTable
        let known = report.orphans.reduce(0) { $0 + $1.rows }
        if check.orphans > known, copied.refused.isEmpty {
            throw RequestError(
                .refused,
                "\(counted(check.orphans - known, "row")) would lose the row that they refer to; nothing was written. "
                    + "Leave the columns of foreign keys out of the masks")
        }
        report.bytes.after = try FolderListing.size(of: file.path)
        try NewFile.finish(file, as: request.output)
        report.isWritten = true
        return report
    }
}
