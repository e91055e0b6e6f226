import DatabaseEngine
import Drydock
import Testing

@testable import DrydockLibraries
@testable import DrydockReplay
@testable import DrydockTestSupport

/// The advice where a statement does not run on another library.
@Suite struct LibraryAdviceTests {
    private func help(_ message: String, on version: String = "3.28.0", _ options: String...) -> String {
        let build = SQLiteBuild(path: "", version: version, sourceID: "", options: options)
        return LibraryAdvice(library: build).help(message).text
    }

    private let lint = "'drydock lint --sqlite 3.28.0'"

    @Test func lintIsNamedWhereItHelps() {
        for message in [
            "near \"RETURNING\": syntax error", "no such function: unixepoch",
            "unknown function: unixepoch()",
            "no such table: sqlite_schema", "no such table: main.sqlite_schema",
            "wrong number of arguments to function iif()",
        ] { #expect(help(message).hasPrefix(lint), "\(message): \(help(message))") }
    }

    /// No version adds what a build leaves out.
    @Test func aPartThatIsLackingIsNamed() {
        #expect(help("no such module: fts5").hasPrefix("It was built without FTS5"))
        #expect(help("no such function: json_extract").hasPrefix("It was built without JSON"))
        #expect(help("no such function: sqrt", on: "3.36.0").hasPrefix("It was built without MATH_FUNCTIONS"))
        #expect(help("no such function: sqrt", on: "3.34.0").contains("lint --sqlite 3.34.0"))
        #expect(
            help("near \"OVER\": syntax error", on: "3.999.0", "OMIT_WINDOWFUNC", "THREADSAFE=1")
                == "It was built with OMIT_WINDOWFUNC.")
    }

    @Test func nothingIsSaidThatDoesNotHelp() {
        #expect(
            help("no such function: app_thing").hasPrefix("app_thing() is not one of SQLite's own functions"))
        for message in ["no such table: gone", "no such column: a", "duplicate column name: a"] {
            #expect(help(message).isEmpty, "\(message)")
        }
        let build = SQLiteBuild(path: "", version: "3.28.0", sourceID: "")
        #expect(LibraryAdvice(library: build).help("UNIQUE constraint failed: t.a", compiles: true).isEmpty)
    }
}
