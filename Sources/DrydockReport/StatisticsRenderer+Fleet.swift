import Drydock
import SQLiteSchema

/// What `drydock stats` prints of several databases.
extension StatisticsRenderer {
    private static let (worstLimit, objectLimit, troubleLimit) = (10, 20, 10)

    /// - Parameter part: which shard they are of, if they are not of all.
    package static func render(
        _ fleet: FleetStatistics, part: ReportPart? = nil, _ options: RenderOptions
    ) -> String {
        figures(fleet, options) + (options.isQuiet ? "" : part?.line ?? "")
    }

    private static func figures(_ fleet: FleetStatistics, _ options: RenderOptions) -> String {
        let paint = Paint(options.usesColor)
        let read = fleet.read
        var text = unread(fleet, paint)
        if options.isQuiet { return text }
        text += paint.bold("\(grouped(fleet.databases.count)) databases")
        if fleet.hasTrouble { text += ", \(grouped(fleet.databases.count - read.count)) not read" }
        guard let size = fleet.size else { return text + "\n" }
        let gain = read.reduce(0) { $0 + $1.vacuumReclaimableBytes }
        text += "  \(self.size(Int(size.sum)))\n"
        text += SpreadTable(size: fleet.size, ratio: fleet.freeRatio).text(paint)
        text += "\n  VACUUM gives back about \(self.size(gain)), \(share(gain, of: Int(size.sum)))\n"
        return text + "\n" + worst(read, paint) + "\n" + ranking(fleet, paint)
    }

    private static func unread(_ fleet: FleetStatistics, _ paint: Paint) -> String {
        let troubles = fleet.databases.compactMap(\.trouble)
        let lines = troubles.prefix(troubleLimit).map { "\(paint.red("?")) \(VisibleText.line($0))\n" }
        let left = troubles.count - lines.count
        let more =
            left > 0
            ? paint.dim("… and \(left) more that cannot be read (--format json lists them)") + "\n" : ""
        return lines.joined() + more + (troubles.isEmpty ? "" : "\n")
    }

    /// Returns the databases of which VACUUM would free most.
    private static func worst(_ read: [FleetStatistics.Database], _ paint: Paint) -> String {
        func row(_ path: String, _ cells: [String]) -> String {
            "  \(padded(path, 40))" + zip(cells, [12, 12, 14]).map { leading($0, $1) }.joined() + "\n"
        }
        let ranked = read.enumerated().sorted { a, b in
            let (x, y) = (a.element, b.element)
            return (y.vacuumReclaimableBytes, y.bytes, a.offset) < (
                x.vacuumReclaimableBytes, x.bytes, b.offset
            )
        }.map(\.element)
        let lines = ranked.prefix(worstLimit).map { database in
            row(
                tail(VisibleText.line(database.path), 40),
                [
                    size(database.bytes), percent(database.freelistBytes, of: database.bytes),
                    size(database.vacuumReclaimableBytes),
                ])
        }
        let left = ranked.count - lines.count
        return paint.dim(row("database", ["size", "free", "VACUUM"])) + lines.joined()
            + (left > 0 ? paint.dim("  … and \(grouped(left)) more") + "\n" : "")
    }

    /// Returns the end of a path, which tells databases from each other.
    private static func tail(_ path: String, _ width: Int) -> String {
        path.count <= width ? path : "…" + path.suffix(width - 1)
    }

    private static func ranking(_ fleet: FleetStatistics, _ paint: Paint) -> String {
        func row(_ name: String, _ cells: [String]) -> String {
            "  \(padded(name, 32))" + zip(cells, [12, 8, 14, 12]).map { leading($0, $1) }.joined() + "\n"
        }
        let total = Int(fleet.size?.sum ?? 0)
        let lines = fleet.objects.prefix(objectLimit).map { object in
            let name = quotedIfNeeded(object.name)
            return row(
                object.isIndex ? "\(name) (\(quotedIfNeeded(object.table)))" : name,
                [
                    size(object.bytes), share(object.bytes, of: total), grouped(object.rows),
                    grouped(object.databases),
                ])
        }
        let left = fleet.objects.count - lines.count
        return paint.dim(row("table or index", ["size", "share", "rows", "databases"])) + lines.joined()
            + (left > 0 ? paint.dim("  … and \(grouped(left)) more (--format json lists them)") + "\n" : "")
    }
}
