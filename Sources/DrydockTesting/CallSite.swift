/// The source location of a test's call, at which issues and findings are reported.
///
/// The properties have the types that Swift Testing and XCTest both accept.
struct CallSite: Sendable {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt

    var path: String { "\(filePath)" }
}
