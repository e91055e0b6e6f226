import OverlayVFS

/// Work on trusted SQL, such as the migrations of an app in the app's tests: it may attach any file.
enum OwnCode {
    static func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await Overlay.$reach.withValue(.anywhere, operation: body)
    }
}
