import DatabaseEngine
import Drydock
import SQLiteSchema

/// Reports built by hand, with everything that a renderer can meet.
enum SampleReport {
    static var passed: Report {
        let replays = [replay("Snapshots/v1.sqlite", steps: 2), replay("Snapshots/v3.sqlite", steps: 0)]
        var report = Report(.verify(VerifySummary(replays: replays)))
        report.seconds = 1.234567
        return report
    }

    static var linted: Report {
        var lint = LintSummary(migrations: 2, statements: 3)
        var report = Report(.lint(lint))
        report.migrationFormat = "goose"
        report.seconds = 0.0123
        let source = SQLSource(
            name: "Migrations/v2.sql", "-- A copy.\nINSERT INTO n\n  SELECT * FROM email;\nDROP TABLE email;")
        let statements = source.statements()
        report.findings = [
            Finding(
                .destructiveUndeclared, "DROP TABLE deletes every row of email",
                help: "If they may go, declare it:\n  -- drydock: drops table email", migration: "v2",
                place: .init(statements[1]), table: "email"),
            Finding(
                .positionalCopy, .note, "the copy into n depends on the order of columns",
                help: "Name the columns.", migration: "v2", place: .init(statements[0], offset: 23),
                table: "n"),
        ]
        report.notChecked = [NotChecked(.migrationFailed, .recorded("1 migration not linted: v3 is not SQL"))]
        let mended = Finding(.doubleQuotedString, "\"x\" is read as a string", migration: "v2")
        lint.fixed = [LintFix(mended, place: .init(statements[0], offset: 18))]
        report.body = .lint(lint)
        return report
    }

    static var failed: Report {
        var report = passed
        let source = SQLSource(
            name: "Migrations/v2_tidy.sql",
            "-- Tidy up.\nDELETE FROM email\n WHERE is_spam = 1;\n\tUPDATE email SET subject = upper(subject), sender = lower(sender), snippet = trim(snippet), folder = 'INBOX', is_read = 0;"
        )
        let statements = source.statements()
        for (path, count) in [("Snapshots/v1.sqlite", 7), ("Snapshots/v3.sqlite", 1)] {
            var lost = Finding(
                .rowsLost, "\(count) rows of email are gone (of 12)",
                help:
                    "If they are no longer needed, declare it:\n  -- drydock: deletes from email where CONDITION",
                migration: "v2_tidy", place: .init(statements[0]), table: "email",
                evidence: Evidence(
                    rowCount: count, rows: [.init(key: [cell("id", 4)]), .init(key: [cell("id", 9)])]))
            lost.snapshot = path
            report.findings.append(lost)
        }
        var changed = Finding(
            .valuesChanged, "email.subject changed in 2 rows",
            help: "If the new values are meant, declare it.",
            migration: "v2_tidy", place: .init(statements[1], offset: 62), table: "email", column: "subject",
            evidence: Evidence(
                rowCount: 2,
                rows: [
                    .init(
                        key: [cell("id", 1)], before: sample("it's a secret\u{1b}[31m\n"),
                        after: sample("IT'S")),
                    .init(key: [cell("id", 2)], before: sample(.integer(1)), after: sample(.real(1))),
                    .init(key: [], before: sample(.blob([0, 255])), after: nil),
                ]))
        changed.snapshot = "Snapshots/v1.sqlite"
        var failure = Finding(
            .migrationFailed,
            Sentence(
                "v3_parse fails: JSON path error near 'TOPSECRET'",
                redacted: "v3_parse fails: an error on a row, whose message may quote it (SQLite code 1)"),
            help: "The whole migration was rolled back, as it would be for users.", migration: "v3_parse",
            place: .init(file: "Migrations/v3_parse.sql"), tags: [.dataDependent])
        failure.snapshot = "Snapshots/v3.sqlite"
        var damage = Finding(
            .integrityFailure,
            "Snapshots/v3.sqlite is damaged: Tree 4 page 9: btreeInitPage() returns error code 11",
            help:
                "It was not replayed: no verdict on a damaged file would mean anything. Recover it with sqlite3's .recover, or take another copy of it from where it came.",
            tags: [.preExisting],
            evidence: Evidence(details: (1...8).map { "row \($0) missing from index ix" }))
        damage.snapshot = "Snapshots/v3.sqlite"
        report.findings += [
            changed, failure, damage,
            Finding(
                .rowsAdded, .warning, "1 row appeared in label", help: "Declare it.", migration: "v2_tidy",
                table: "label"),
            Finding(.columnDropped, .note, "column email.a is now b: the copying statement says so"),
        ]
        report.notChecked = [
            NotChecked(.schemaMismatch, .recorded("a fresh install cannot be created: v1 fails")),
            NotChecked(
                .rowsLost, snapshot: "Snapshots/v3.sqlite",
                .recorded("table t cannot be read: no such module: x")),
        ]
        return report
    }

    private static func replay(_ path: String, steps: Int) -> ReplaySummary {
        var replay = ReplaySummary(snapshot: path)
        replay.from = steps == 0 ? "v3_parse" : nil
        replay.start = .empty
        replay.to = "v3_parse"
        for number in 0..<steps {
            let pages = 3 * number + 1
            replay.steps.append(
                ReplaySummary.Step(
                    migration: "v\(number + 2)", seconds: 0.0123, pagesWritten: pages,
                    bytesWritten: 4096 * pages,
                    statementSeconds: [0.0011, 0.25]))
        }
        replay.rowsCompared = 12 * steps
        replay.seconds = 0.5
        return replay
    }

    private static func cell(_ column: String, _ value: Int64) -> Evidence.Cell {
        .init(column: column, value: sample(.integer(value)))
    }

    private static func sample(_ value: SQLValue) -> Evidence.Sample { .init(value, encoding: .utf8) }
}
