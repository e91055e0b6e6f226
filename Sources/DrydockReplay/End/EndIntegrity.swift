import DrydockFindings
import DrydockState
import SQLiteSchema

/// `integrity-failure`: checks after the last pending migration that every table which any step touched is whole.
struct EndIntegrity {
    let inputs: ReplayInputs

    func check(_ replayed: ReplayedSnapshot, _ record: inout ReplayRecord) async throws {
        guard !record.result.summary.steps.isEmpty else { return }
        let baseline = replayed.baseline.integrity
        let touched = touchedTables(
            from: replayed.baseline.state, to: replayed.end, record.steps.changedPages)
        record.result.summary.tablesChecked = touched?.count
        let check = try await integrity(
            of: touched, since: replayed.baseline.state, at: replayed.end, record.resumed)
        // What a table's own expressions kept from being checked is reported for the table as well.
        for reason in check.notChecked where !baseline.notChecked.contains(reason) {
            record.notChecked(.integrityFailure, .refused(reason))
        }
        record.result.summary.integrityUnchecked = check.notChecked.count
        let known = Set(
            baseline.brokenConstraints.map {
                IntegrityCheck.renaming($0) { record.steps.names.lastName(of: $0, after: 0) }
            })
        let messages = (check.damage + check.brokenConstraints.filter { !known.contains($0.foldedASCII) })
            .filter { !record.steps.damage.contains($0) }
        guard let first = messages.first else { return }
        record.add(
            Finding(
                .integrityFailure, "after the replay integrity_check finds: \(first)",
                help:
                    "A migration did this: look for writable_schema, a constraint that existing rows break, or a "
                    + "collation or function that sorts differently here than in the app.",
                migration: record.result.summary.to,
                evidence: Evidence(rowCount: nil, details: Array(messages.prefix(Evidence.detailLimit)))))
    }

    /// Checks tables, or the whole database. What was found to be whole at a checkpoint and has not changed since, still
    /// is.
    /// - Parameter base: the state since which the tables may have changed.
    private func integrity(
        of tables: [String]?, since base: DatabaseState, at end: DatabaseState, _ resumed: Resumption?
    ) async throws -> IntegrityCheck {
        guard let tables, let resumed else { return try await check(tables, at: end) }
        let whole: Set<String>
        if let known = resumed.checkpoint.whole {
            whole = known
        } else {
            whole = try await wholeTables(at: resumed, since: base)
        }
        guard let touched = touchedTables(from: resumed.checkpoint.state, to: end, resumed.changedPages)
        else {
            return try await check(tables, at: end)
        }
        let changed = Set(touched)
        return try await check(tables.filter { changed.contains($0) || !whole.contains($0) }, at: end)
    }

    /// Returns the tables that the steps before a checkpoint changed, if all of them are whole there, and keeps that for the
    /// next run.
    private func wholeTables(
        at resumed: Resumption, since base: DatabaseState
    ) async throws -> Set<String> {
        let (state, steps) = (resumed.checkpoint.state, resumed.checkpoint.steps)
        guard let tables = touchedTables(from: base, to: state, steps.changedPages) else { return [] }
        let found = try await check(tables, at: state)
        let isWhole = found.damage.isEmpty && found.brokenConstraints.isEmpty && found.notChecked.isEmpty
        let whole = isWhole ? Set(tables) : []
        resumed.keep(whole: whole)
        return whole
    }

    private func check(_ tables: [String]?, at state: DatabaseState) async throws -> IntegrityCheck {
        let (catalog, file) = (state.catalog, state.pages?.file)
        return try await inputs.inspector.withSharedConnection(to: state) { connection in
            try tables.map { try IntegrityCheck(connection, catalog: catalog, tables: $0, file: file) }
                ?? IntegrityCheck(connection, catalog: catalog, file: file)
        }
    }

    /// Returns the names of the tables with pages or definitions that differ between two states, including those of
    /// virtual tables and tools; nil where that is not known, or everything is to be checked.
    private func touchedTables(
        from base: DatabaseState, to end: DatabaseState, _ changedPages: Set<UInt32>?
    ) -> [String]? {
        guard !inputs.context.isFullCheck, let changedPages, let basePages = base.pages, let pages = end.pages
        else {
            return nil
        }
        let changes = PageChanges(
            before: basePages, after: pages, dirty: basePages.dirt(changedPages, upTo: pages))
        return pages.trees.keys.filter { name in
            guard changes.isWhollyUntouched(table: name, now: name) else { return true }
            guard let table = end.catalog.table(name) else { return false }
            return base.catalog.table(name).map { !table.demandsNoMore(than: $0) } ?? true
        }.sorted()
    }
}
