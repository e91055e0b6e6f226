import Foundation
import Testing

/// Files with the output that people and tools read. `DRYDOCK_RECORD=1` writes them again; read them afterwards.
enum Golden {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
        path: "Golden")

    static func hold(_ text: String, against name: String) throws {
        let file = folder.appending(path: name)
        if ProcessInfo.processInfo.environment["DRYDOCK_RECORD"] != nil {
            #expect(ProcessInfo.processInfo.environment["CI"] == nil, "goldens are not recorded in CI")
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }
}
