import Drydock
import SQLiteSchema

/// Renders the SQLite libraries of a folder.
package enum LibrariesRenderer {
    package static func human(_ listing: LibraryListing) -> String {
        listing.entries.map(human).joined()
    }

    private static func human(_ entry: LibraryListing.Entry) -> String {
        var lines = [VisibleText.line("\(entry.build?.version ?? "-")  \(entry.path)")]
        if let build = entry.build {
            lines.append("  source: \(VisibleText.line(build.sourceID))")
            if build.listsOptions {
                lines.append("  has: \(build.has.joined(separator: ", "))")
                lines.append("  lacks: \(build.lacks.joined(separator: ", "))")
            } else {
                lines.append("  does not say what it was built with")
            }
            let more = (build.threadSafety.map { ["THREADSAFE=\($0)"] } ?? []) + build.changes
            if !more.isEmpty {
                lines.append("  built with: \(VisibleText.line(more.joined(separator: ", ")))")
            }
        }
        if let fault = entry.fault { lines.append("  not usable: \(VisibleText.line(fault.text))") }
        return lines.joined(separator: "\n") + "\n"
    }

    package static func json(_ listing: LibraryListing) -> String {
        jsonText(JSONEnvelope(command: "libraries", Body(libraries: listing.entries.map(Library.init))))
    }

    private struct Body: Encodable { var libraries: [Library] }

    private struct Library: Encodable {
        var path: String
        var version, sourceID: String?
        var threadSafety: Int?
        var has, lacks, options: [String]?
        var isUsable: Bool
        var fault: String?

        init(_ entry: LibraryListing.Entry) {
            path = entry.path
            (version, sourceID) = (entry.build?.version, entry.build?.sourceID)
            threadSafety = entry.build?.threadSafety
            let listed = entry.build.flatMap { $0.listsOptions ? $0 : nil }
            (has, lacks, options) = (listed?.has, listed?.lacks, listed?.options)
            (isUsable, fault) = (entry.fault == nil, entry.fault?.text)
        }
    }
}
