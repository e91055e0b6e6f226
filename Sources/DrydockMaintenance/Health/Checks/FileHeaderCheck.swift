import DrydockFindings
import OverlayVFS

/// The check `file-header`: the file's first hundred bytes are wrong, or the file cannot be read.
struct FileHeaderCheck: HealthCheck {
    let text = HealthCheckText(
        .fileHeader, "the file is not a database, is cut short, or is not what its header says",
        why: "SQLite refuses to open the file, or reads fewer pages than it holds.")

    func check(_ view: HealthView) throws -> HealthResult {
        let header = view.file.header
        var findings: [Finding] = []
        let (pages, stored) = (Int(view.file.pageCount), Int(view.file.source.pageCount))
        if stored > pages {
            findings.append(
                finding(
                    .warning,
                    "the file has \(counted(stored - pages, "page")) more than the \(pages) that its header counts",
                    help:
                        "A write was interrupted, or the file was assembled from two. VACUUM removes these pages."
                ))
        }
        if header.writeVersion > 2 {
            findings.append(
                finding(
                    .warning, "the header asks for a writer of version \(header.writeVersion)",
                    help: "SQLite knows 1 and 2 and opens such a file read-only; a newer program made it."))
        }
        if header.pageCount == nil, pages > 0 {
            findings.append(
                finding(
                    .note,
                    "the header's page count is not valid: a program older than SQLite 3.7.0 wrote last",
                    help: "Find out which program that is."))
        }
        return HealthResult(
            findings,
            measures: [
                HealthMeasure(
                    "size_bytes", .bytes, Double(pages * header.pageSize), "Size of the database.")
            ])
    }
}
