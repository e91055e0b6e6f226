import Drydock
import SQLiteSchema

/// Turns page statistics into text for people, 80 columns wide.
package enum StatisticsRenderer {
    package static func render(_ statistics: DatabaseStatistics, _ options: RenderOptions) -> String {
        let paint = Paint(options.usesColor)
        guard statistics.byteCount > 0 || statistics.logFrames > 0 else {
            return
                "\(paint.bold(VisibleText.line(statistics.path)))  the file is empty (0 bytes): a database without a table\n"
        }
        return head(statistics, paint) + use(statistics, paint) + "\n" + ranking(statistics, paint)
    }

    // MARK: - The file

    private static func head(_ file: DatabaseStatistics, _ paint: Paint) -> String {
        var facts = [
            "\(grouped(file.pageCount)) \(file.pageCount == 1 ? "page" : "pages") of \(grouped(file.pageSize)) bytes",
            file.encoding.rawValue,
        ]
        if file.autoVacuum != .none { facts.append("auto_vacuum \(file.autoVacuum.rawValue)") }
        if file.libraryVersion > 0 { facts.append("written by SQLite \(version(file.libraryVersion))") }
        return
            "\(paint.bold(VisibleText.line(file.path)))  \(size(file.byteCount))\n  \(facts.joined(separator: ", "))\n\n"
    }

    /// Returns `3040001` as `3.40.1` (https://www.sqlite.org/c3ref/c_source_id.html).
    static func version(_ number: UInt32) -> String {
        "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
    }

    private static func use(_ file: DatabaseStatistics, _ paint: Paint) -> String {
        let unused = file.objects.reduce(0) { $0 + $1.tree.unused }
        let payload = file.objects.reduce(0) { $0 + $1.tree.payload }
        var rows: [(String, Int)] = [
            ("payload", payload), ("free within pages", unused),
            ("structure", file.usedPages * file.pageSize - payload - unused),
            ("freelist", file.freelistPages * file.pageSize),
        ]
        if file.pointerMapPages > 0 { rows.append(("pointer map", file.pointerMapPages * file.pageSize)) }
        if file.lostPages > 0 { rows.append(("lost: nothing leads there", file.lostPages * file.pageSize)) }
        var text = ""
        for (name, bytes) in rows {
            text +=
                "  \(padded(name, 26))\(leading(size(bytes), 11))\(leading(share(bytes, of: file.byteCount), 9))\n"
        }
        if file.logFrames > 0 {
            text +=
                "  \(padded("write-ahead log", 26))\(leading(size(file.logPages * file.pageSize), 11))"
                + "  \(grouped(file.logPages)) pages in \(counted(file.logFrames, "frame"))\n"
        }
        let gain = file.reclaimableByteCount
        text += "  \(padded("VACUUM gives back about", 26))\(leading(size(gain), 11))"
        return text + leading(share(gain, of: file.byteCount), 9) + "\n"
    }

    // MARK: - Tables and indexes

    private static let nameWidth = 27

    private static func ranking(_ file: DatabaseStatistics, _ paint: Paint) -> String {
        let title =
            "  \(padded("table or index", nameWidth))\(leading("size", 11))\(leading("share", 8))  "
            + "\(padded("", 6))\(leading("rows", 12))\(leading("free", 6))\(leading("jumps", 6))\n"
        let objects = file.objects
        // The objects themselves are large.
        let ranked = objects.indices.sorted { one, other in
            let (pages, otherPages) = (objects[one].tree.pages, objects[other].tree.pages)
            return pages == otherPages ? objects[one].name < objects[other].name : pages > otherPages
        }
        var text = paint.dim(title)
        for index in ranked { add(objects[index], file, to: &text) }
        return text
    }

    private static func add(
        _ object: DatabaseStatistics.Object, _ file: DatabaseStatistics, to text: inout String
    ) {
        let bytes = object.tree.pages * file.pageSize
        let label =
            object.isImplied
            ? "\(quotedIfNeeded(object.table)) autoindex \(VisibleText.line(object.name.split(separator: "_").last.map(String.init) ?? ""))"
            : object.isIndex
                ? "\(quotedIfNeeded(object.name)) (\(quotedIfNeeded(object.table)))"
                : quotedIfNeeded(object.name)
        let part = Double(object.tree.pages) / Double(max(1, file.pageCount))
        let jumps = percent(object.tree.scatteredLeaves, of: max(0, object.tree.leafPages - 1))
        // One after another, since joined texts would each be copied again.
        text += "  "
        text += padded(label, nameWidth)
        text += leading(size(bytes), 11)
        text += leading(share(bytes, of: file.byteCount), 8)
        text += "  "
        text += padded(bar(part, 6), 6)
        text += leading(grouped(object.entries), 12)
        text += leading(percent(object.tree.unused, of: bytes), 6)
        text += leading(jumps, 6)
        text += "\n"
    }

    /// Draws a bar with a resolution of an eighth of a column.
    private static func bar(_ part: Double, _ width: Int) -> String {
        let eighths = Int((part * Double(width * 8)).rounded())
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + rest
    }

    // MARK: - Comparison

    package static func render(
        _ new: DatabaseStatistics, since old: DatabaseStatistics, _ options: RenderOptions
    ) -> String {
        let paint = Paint(options.usesColor)
        let growth = Growth.all(from: old, to: new)
        var text =
            "--- \(VisibleText.line(old.path))  \(size(old.byteCount))\n+++ \(VisibleText.line(new.path))  \(size(new.byteCount))\n\n"
        for change in growth where change.bytes != 0 || change.rows != 0 {
            let bytes = change.bytes == 0 ? "0 B" : (change.bytes > 0 ? "+" : "-") + size(abs(change.bytes))
            let rows =
                change.rows == 0 ? "" : (change.rows > 0 ? "+" : "-") + grouped(abs(change.rows)) + " rows"
            let line =
                "  \(padded(quotedIfNeeded(change.name), 36))\(leading(bytes, 14))\(leading(rows, 21))"
            text += (change.bytes > 0 ? paint.red(line) : change.bytes < 0 ? paint.green(line) : line) + "\n"
        }
        return text + (growth.allSatisfy { $0.bytes == 0 && $0.rows == 0 } ? "same\n" : "")
    }

    // MARK: - Figures

    static func size(_ bytes: Int) -> String {
        var (value, unit) = (Double(bytes), 0)
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        guard unit > 0 else { return "\(bytes) B" }
        let tenths = Int((value * 10).rounded())
        return "\(grouped(tenths / 10)).\(tenths % 10) \(units[unit])"
    }

    static func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "0.0 %" }
        let tenths = Int((Double(part) / Double(whole) * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }

    static func percent(_ part: Int, of whole: Int) -> String {
        whole > 0 ? "\(Int((Double(part) / Double(whole) * 100).rounded())) %" : "0 %"
    }

    /// Returns `1234567` as `1,234,567`.
    static func grouped(_ number: Int) -> String {
        guard number.magnitude >= 1000 else { return "\(number)" }
        var digits = Array(String(number))
        var place = digits.count - 3
        while place > (number < 0 ? 1 : 0) {
            digits.insert(",", at: place)
            place -= 3
        }
        return String(digits)
    }

    static func padded(_ text: String, _ width: Int) -> String {
        let count = columns(text)
        guard count <= width else { return String(text.prefix(width - 1)) + "…" }
        return text + String(repeating: " ", count: width - count)
    }

    static func leading(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - columns(text))) + text
    }

    /// Returns the number of characters, which for most texts is that of their bytes.
    private static func columns(_ text: String) -> Int {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? text.utf8.count : text.count
    }
}

/// How the size of an object changed between two databases.
package struct Growth: Sendable, Equatable {
    package var name: String
    package var bytes: Int
    package var rows: Int

    /// Returns the largest changes first; objects of only one side change from or to nothing.
    package static func all(from old: DatabaseStatistics, to new: DatabaseStatistics) -> [Growth] {
        var growth: [String: Growth] = [:]
        for (sign, statistics) in [(-1, old), (1, new)] {
            for object in statistics.objects {
                let bytes = sign * object.tree.pages * statistics.pageSize
                var change = growth[object.name] ?? Growth(name: object.name, bytes: 0, rows: 0)
                change.bytes += bytes
                change.rows += sign * object.entries
                growth[object.name] = change
            }
            let free = sign * statistics.freelistPages * statistics.pageSize
            growth["freelist", default: Growth(name: "freelist", bytes: 0, rows: 0)].bytes += free
        }
        return growth.values.sorted { (abs($1.bytes), $0.name) < (abs($0.bytes), $1.name) }
    }
}
