/// Where a test called, so that what was found stands there.
///
/// Its parts are those that both Swift Testing and XCTest take.
struct CallSite: Sendable {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt

    var path: String { "\(filePath)" }
}
