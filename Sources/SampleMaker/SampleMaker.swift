import Foundation

/// The program that creates the repository's sample: snapshots of a mail client's database, from a fixed
/// seed.
@main
struct Sample {
    /// Runs `swift run SampleMaker [FOLDER]`, in the repository's root.
    static func main() async throws {
        let folder = CommandLine.arguments.dropFirst().first ?? "Snapshots"
        try await make(into: URL(filePath: folder), migrations: URL(filePath: "Migrations"))
    }

    /// Writes every snapshot, with the same content each time.
    ///
    /// The snapshots are created in a temporary folder and moved when all of them are complete.
    static func make(into destination: URL, migrations: URL) async throws {
        let files = FileManager.default
        let workshop = files.temporaryDirectory.appending(path: "sample-\(UUID().uuidString)")
        try files.createDirectory(at: workshop, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: workshop) }

        let steps = try SampleMigration.all(in: migrations)
        for snapshot in SampleSnapshot.all {
            try await snapshot.make(in: workshop, steps: steps)
        }
        try files.createDirectory(at: destination, withIntermediateDirectories: true)
        for name in SampleSnapshot.all.map(\.name) {
            let target = destination.appending(path: name)
            if files.fileExists(atPath: target.path) { try files.removeItem(at: target) }
            try files.moveItem(at: workshop.appending(path: name), to: target)
        }
    }
}
