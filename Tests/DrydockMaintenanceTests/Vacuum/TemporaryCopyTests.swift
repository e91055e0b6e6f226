import DrydockMaintenance
import Foundation
import Testing

@testable import DrydockTestSupport

/// The files for the copies of databases, as a process ends while it has some.
struct TemporaryCopyTests {
    /// A copy is removed with what SQLite keeps beside it; one that has its final name keeps that, and so does a file that has
    /// taken the name of a copy.
    /// - Parameter exits: whether it just exits, as where an abandoned task still has a copy.
    @Test(arguments: [false, true]) func noCopyOutlivesTheProcess(_ exits: Bool) async throws {
        let folder = try TemporaryFolder()
        try folder.write("app.sqlite", "x")
        await #expect(processExitsWith: .exitCode(7)) { [exits, path = folder.path as String] in
            let copies = try (0..<4).map { _ in try TemporaryCopy(of: path + "/app.sqlite", in: path) }
            try Data("j".utf8).write(to: URL(filePath: copies[0].path + "-journal"))
            try copies[1].keep(as: path + "/kept")
            try FileManager.default.removeItem(atPath: copies[2].path)
            try Data("mine".utf8).write(to: URL(filePath: copies[2].path))
            try FileManager.default.moveItem(atPath: copies[2].path, toPath: path + "/mine")
            try FileManager.default.createSymbolicLink(
                atPath: copies[2].path, withDestinationPath: path + "/mine")
            if exits { withExtendedLifetime(copies) { exit(7) } }
            TemporaryCopy.removeAll { left in exit(left.isEmpty ? 7 : 8) }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names).isSuperset(of: ["app.sqlite", "kept", "mine"]))
        #expect(names.count == 4, "only the link is left besides: \(names)")
    }
}
