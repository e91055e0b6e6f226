import Drydock
import Foundation
import Testing

@testable import DrydockCommands

/// drydock.yml in a folder above, and what it names.
@Suite struct ConfigPlaceTests {
    /// A project in a Git repository whose settings are at its root.
    private func project(_ settings: String = "migrations: db/steps\nsnapshots: db/released\n") throws
        -> Project
    {
        let project = try Project()
        try project.write(".git/HEAD", "")
        try FileManager.default.createDirectory(
            at: project.folder.appending(path: "db"), withIntermediateDirectories: true)
        for (from, to) in [("Migrations", "db/steps"), ("Snapshots", "db/released")] {
            try FileManager.default.moveItem(
                at: project.folder.appending(path: from), to: project.folder.appending(path: to))
        }
        try project.write("drydock.yml", settings)
        try project.write("app/src/main.txt", "")
        return project
    }

    private func run(_ project: Project, in folder: String, _ arguments: String) throws -> Project.Result {
        try project.shell("cd '\(folder)' && \"$DRYDOCK\" \(arguments)")
    }

    @Test func pathsAreRelativeToTheFile() throws {
        let project = try project(
            "migrations: db/steps\nsnapshots: db/released\nreport: json=out.json\nlock: db/my.lock\n")
        let result = try run(project, in: "app/src", "lock")
        #expect(result.status == 0, "\(result)")
        #expect(FileManager.default.fileExists(atPath: project.folder.appending(path: "db/my.lock").path))
        for command in ["verify --no-cache", "lint", "lock --check"] {
            let result = try run(project, in: "app/src", command)
            #expect(result.status == 0, "\(command): \(result)")
        }
        #expect(FileManager.default.fileExists(atPath: project.folder.appending(path: "out.json").path))
        #expect(
            !FileManager.default.fileExists(atPath: project.folder.appending(path: "app/src/out.json").path))
        // What the command line names is relative to the working folder.
        let named = try run(
            project, in: "app/src", "verify --no-cache --no-lock -m ../../db/steps -s ../../db/released")
        #expect(named.status == 0, "\(named)")
    }

    @Test func theUsualFoldersAreBesideTheFile() throws {
        let project = try Project()
        try project.write(".git/HEAD", "")
        try project.write("drydock.yml", "strict: true\n")
        try project.write("app/x.txt", "")
        #expect(try run(project, in: "app", "lock").status == 0)
        #expect(FileManager.default.fileExists(atPath: project.folder.appending(path: "drydock.lock").path))
        let result = try run(project, in: "app", "verify --no-cache --format json")
        #expect(result.status == 0 && result.output.contains("../Snapshots/v1.sqlite"), "\(result)")
    }

    @Test func aFileThatIsNamedCountsTheSame() throws {
        let project = try project()
        try project.write(
            "ci/drydock.yml", "migrations: ../db/steps\nsnapshots: ../db/released\nstrict: true\n")
        let result = try project.run("verify", "--no-cache", "--config", "ci/drydock.yml")
        #expect(result.status == 0, "\(result)")
    }

    @Test func theSearchStopsAtTheRootOfTheRepositoryAndAtHome() throws {
        let project = try project()
        try project.write("app/.git/HEAD", "")
        let below = try run(project, in: "app/src", "verify --no-cache")
        #expect(below.status == 2 && below.errors.contains("there are no migrations here"), "\(below)")
        try FileManager.default.removeItem(at: project.folder.appending(path: "app/.git"))
        #expect(try run(project, in: "app/src", "verify --no-cache").status == 0)
        let home = try project.shell("cd app/src && HOME=\"$PWD/..\" \"$DRYDOCK\" verify --no-cache")
        #expect(home.status == 2 && home.errors.contains("there are no migrations here"), "\(home)")
    }

    @Test func theFolderIsNamedInReports() throws {
        let project = try project("strict: true\n")
        // Files called v1 and v2 are found by the folder's name.
        try FileManager.default.moveItem(
            at: project.folder.appending(path: "db/steps"),
            to: project.folder.appending(path: "db/migrations"))
        let human = try project.run("verify", "db/released", "--no-cache")
        #expect(human.status == 0 && human.output.contains("migrations found in db/migrations"), "\(human)")
        let json = try project.run("lint", "--format", "json")
        #expect(json.output.contains("\"foundMigrations\" : \"db/migrations\""), "\(json)")
        let below = try run(project, in: "app", "lint")
        #expect(below.output.contains("migrations found in ../db/migrations"), "\(below)")
        #expect(!(try project.run("lint", "-m", "db/migrations").output.contains("found in")))
    }

    @Test func aProjectWithoutSnapshots() throws {
        let project = try Project()
        try FileManager.default.removeItem(at: project.folder.appending(path: "Snapshots"))
        let generated = try project.run("verify")
        #expect(generated.status == 0 && generated.output.contains("no snapshot, "), "\(generated)")
        let result = try project.run("verify", "--no-probe")
        #expect(result.status == 2, "\(result)")
        for words in [
            "there is no folder 'Snapshots'", "no snapshot to replay", "2 migrations in 'Migrations'",
            "drydock lint",
        ] {
            #expect(result.errors.contains(words), "\(result.errors)")
        }
    }

    @Test func severalFoldersAreAnError() throws {
        let project = try Project()
        try FileManager.default.removeItem(at: project.folder.appending(path: "Migrations"))
        try project.write("prisma/migrations/0_init/migration.sql", "SELECT 1;")
        try project.write("db/migrations/1_x.up.sql", "SELECT 1;")
        for command in [["verify"], ["lint"], ["lock"], ["new", "x"], ["migrate", "Snapshots/v1.sqlite"]] {
            let result = try project.run(command)
            #expect(result.status == 2, "\(command): \(result)")
            #expect(result.errors.contains("--migrations prisma/migrations"), "\(command): \(result.errors)")
            #expect(result.errors.contains("--migrations db/migrations"), "\(command): \(result.errors)")
        }
    }

    /// A link to nothing is not a project without settings.
    @Test(arguments: ["app", "."]) func aLinkToNothingIsAnError(_ folder: String) throws {
        let project = try project()
        let path = project.folder.appending(path: "drydock.yml").path
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "settings/gone.yml")
        for command in ["verify", "lint", "lock", "health x.db", "diff a b"] {
            let result = try run(project, in: folder, command)
            #expect(result.status == 2, "\(result)")
            #expect(result.errors.contains("drydock.yml' is a link to 'settings/gone.yml'"), "\(result)")
        }
    }
}
