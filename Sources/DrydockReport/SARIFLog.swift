import Drydock
import SQLiteSchema

/// The parts of a SARIF 2.1.0 log that Drydock writes, by their names in the standard.
struct SARIFLog: Encodable {
    var schema = "https://json.schemastore.org/sarif-2.1.0.json"
    var version = "2.1.0"
    var runs: [SARIFRun]

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version, runs
    }
}

struct SARIFRun: Encodable {
    struct Tool: Encodable {
        struct Driver: Encodable {
            var name = "drydock"
            var rules: [SARIFRule] = []
        }

        var driver = Driver()
    }

    struct Details: Encodable { var id: String }

    var tool = Tool()
    var automationDetails: Details
    var invocations = [SARIFInvocation()]
    /// Columns count code points.
    var columnKind = "unicodeCodePoints"
    var results: [SARIFResult] = []
    var properties: [String: String] = [:]

    init(command: String) {
        automationDetails = Details(id: "drydock/\(command)/")
    }
}

struct SARIFInvocation: Encodable {
    /// Whether there is a report; what it says is in the results.
    var executionSuccessful = true
    var toolExecutionNotifications: [SARIFNotification] = []
}

struct SARIFNotification: Encodable {
    var level: String
    var message: SARIFMessage
    var locations: [SARIFLocation]?
    var associatedRule: Reference?

    struct Reference: Encodable {
        var id: String
        var index: Int?
    }
}

struct SARIFRule: Encodable {
    struct Configuration: Encodable { var level: String }

    struct Properties: Encodable {
        var tags: [String]
        var severity: String

        private enum CodingKeys: String, CodingKey {
            case tags
            case severity = "problem.severity"
        }
    }

    var id: String
    var shortDescription, fullDescription, help: SARIFText
    var defaultConfiguration: Configuration
    var properties: Properties
}

/// Words that have no links.
struct SARIFText: Encodable {
    var text: String
    var markdown: String?

    init(_ text: String, markdown: String? = nil) { (self.text, self.markdown) = (text, markdown) }
}

/// A message, in which `[words](place)` would be a link: what a report quotes makes none.
struct SARIFMessage: Encodable {
    var text: String

    init(_ text: String) {
        let text = VisibleText.lines(text)
        self.text =
            text.contains("](")
            ? text.replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("]", with: "\\]")
            : text
    }
}

struct SARIFResult: Encodable {
    struct Properties: Encodable {
        var tags: [String]
        var migration, table, column: String?
        var rowCount: Int?
        /// In how many live databases it is found, where that is more than one.
        var databaseCount: Int?

        init(_ group: FindingGroup) {
            let finding = group.findings[0]
            databaseCount = group.isOfDatabases ? group.findings.count : nil
            tags = finding.tags.map(\.rawValue)
            (migration, table, column) = (finding.migration, finding.table, finding.column)
            rowCount = finding.evidence?.rowCount
        }
    }

    var ruleId: String
    var ruleIndex: Int
    var level: String
    var message: SARIFMessage
    var locations: [SARIFLocation]
    var relatedLocations: [SARIFLocation]?
    var partialFingerprints: [String: String]
    var fixes: [SARIFFix]?
    var properties: Properties
}

struct SARIFLocation: Encodable {
    struct Physical: Encodable {
        var artifactLocation: SARIFArtifact
        var region: SARIFRegion?
    }

    struct Logical: Encodable { var name, fullyQualifiedName, kind: String }

    var id: Int?
    var physicalLocation: Physical
    var logicalLocations: [Logical]?
    var message: SARIFMessage?

    /// A file as a whole.
    init(_ path: String, _ paths: SourcePaths) {
        physicalLocation = Physical(artifactLocation: SARIFArtifact(path, paths))
    }

    init(_ place: Finding.Place, _ paths: SourcePaths) {
        self.init(place.file, paths)
        guard let line = place.line else { return }
        physicalLocation.region = SARIFRegion(
            startLine: line, startColumn: place.column, snippet: place.lineText.map { .init(text: $0) })
    }
}

struct SARIFArtifact: Encodable {
    var uri: String
    /// The root of the repository, which code scanning knows; nil for an absolute path.
    var uriBaseId: String?

    init(_ path: String, _ paths: SourcePaths) {
        let path = paths.path(path)
        uri = SourcePaths.uri(path)
        uriBaseId = path.hasPrefix("/") ? nil : "%SRCROOT%"
    }
}

struct SARIFRegion: Encodable {
    struct Content: Encodable { var text: String }

    var startLine: Int
    var startColumn, endLine, endColumn: Int?
    var snippet: Content?

    init(startLine: Int, startColumn: Int?, snippet: Content?) {
        (self.startLine, self.startColumn, self.snippet) = (startLine, startColumn, snippet)
    }

    /// The region of a text that begins there; the end column is the one behind it.
    init(of text: String, line: Int, column: Int) {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        let last = lines.last?.count ?? 0
        self.init(startLine: line, startColumn: column, snippet: nil)
        endLine = line + max(0, lines.count - 1)
        endColumn = (lines.count > 1 ? 1 : column) + last
    }
}

struct SARIFFix: Encodable {
    struct Change: Encodable {
        var artifactLocation: SARIFArtifact
        var replacements: [Replacement]
    }

    struct Replacement: Encodable {
        var deletedRegion: SARIFRegion
        var insertedContent: SARIFRegion.Content
    }

    var description: SARIFText
    var artifactChanges: [Change]
}
