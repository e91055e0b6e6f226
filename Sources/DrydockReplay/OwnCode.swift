import OverlayVFS

/// Work on SQL that is the program's own, such as the migrations of an app in its own tests: it may attach any file.
package enum OwnCode {
    package static func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await Overlay.$reach.withValue(.anywhere, operation: body)
    }
}
