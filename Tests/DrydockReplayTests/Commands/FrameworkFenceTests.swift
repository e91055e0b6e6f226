import Drydock
import Foundation
import GRDBEngine
import Testing
import TestTools

@testable import DrydockTestSupport

/// Projects as Django and Alembic make them, whose settings do not know of a copy: `verify` changes nothing of them.
/// `Scripts/prepare frameworks` fetches both.
@Suite(.serialized, .enabled(if: Frameworks.areThere, "it needs Django and Alembic"))
struct FrameworkFenceTests {
    /// A project with a user model of its own, a development database with rows, and a migration that is not applied.
    private static let django = """
        python3 -m django startproject site1 . && python3 manage.py startapp shop
        cat > shop/models.py <<'END'
        from django.db import models
        from django.contrib.auth.models import AbstractUser
        class User(AbstractUser): pass
        class Order(models.Model):
            user = models.ForeignKey(User, on_delete=models.CASCADE)
            title = models.CharField(max_length=20)
        END
        printf "INSTALLED_APPS += ['shop']\\nAUTH_USER_MODEL = 'shop.User'\\n" >> site1/settings.py
        python3 manage.py makemigrations shop && python3 manage.py migrate
        python3 -c "
        import sqlite3
        db = sqlite3.connect('db.sqlite3')
        db.execute(\\"INSERT INTO shop_user VALUES (1, 'x', NULL, 1, 'ada', '', '', '', 1, 1, '2020-01-01')\\")
        db.execute(\\"INSERT INTO shop_order VALUES (1, 'a', 1)\\")
        db.commit()"
        sed -i.old 's/max_length=20/max_length=30/' shop/models.py
        python3 manage.py makemigrations shop
        """
    private static let alembic = """
        python3 -m alembic init migrations
        sed -i.old 's#^sqlalchemy.url.*#sqlalchemy.url = sqlite:///app.db#' alembic.ini
        for step in 'a1:None:op.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT)")' \\
            'b2:"a1":op.execute("ALTER TABLE note ADD COLUMN tag TEXT")'; do
            name=${step%%:*}; rest=${step#*:}
            printf 'from alembic import op\\nrevision = "%s"\\ndown_revision = %s\\nbranch_labels = depends_on = None\\ndef upgrade(): %s\\ndef downgrade(): op.execute("DROP TABLE note")\\n' \\
                "$name" "${rest%%:*}" "${rest#*:}" > migrations/versions/$name.py
        done
        python3 -m alembic upgrade a1
        python3 -c "import sqlite3; db = sqlite3.connect('app.db'); db.execute('INSERT INTO note VALUES (1, 2)'); db.commit()"
        """
    private static let projects = [
        (
            setUp: django, database: "db.sqlite3",
            command: "python3 manage.py migrate ${DRYDOCK_MIGRATION%%.*} ${DRYDOCK_MIGRATION#*.}",
            list: "python3 manage.py showmigrations --plan", says: "settings.py must first take the path"
        ),
        (
            setUp: alembic, database: "app.db",
            command: "python3 -m alembic upgrade ${DRYDOCK_MIGRATION:-head}",
            list: "printf 'a1\\nb2\\n'", says: "env.py must first take the URL"
        ),
    ]

    @Test(arguments: projects.indices, ["DELETE", "WAL"])
    func `settings that do not follow the copy cost nothing`(_ index: Int, _ mode: String) async throws {
        let project = Self.projects[index]
        let folder = try TemporaryFolder()
        try Frameworks.run("set -e\n" + project.setUp, in: folder.path)
        try PlainDatabase(folder.file(project.database)).execute("PRAGMA journal_mode = \(mode)")
        let before = try folder.contents()
        #expect(before.count > 8)
        var command = ProjectCommand(command: project.command)
        command.folder = folder.path
        command.environment = ["PYTHONPATH": Frameworks.folder]
        command.list = project.list
        if index == 1 { command.database = ProjectCommand.Passing("sqlite:///$DRYDOCK_DATABASE") }
        var request = VerifyRequest()
        request.command = command
        request.snapshots.folder = folder.file("Snapshots")
        request.snapshots.isFolderNamed = false
        let report = try await Verifier(engine: GRDBDriver()).run(request)
        #expect(try folder.contents() == before)
        #expect(!report.hasPassed)
        let finding = try report.finding(.migrationFailed)
        #expect(finding.help.contains(project.says), "\(finding)")
        #expect(finding.help.contains("\(project.database) was locked meanwhile"), "\(finding)")
    }
}

/// Python's frameworks, where `Scripts/prepare frameworks` put them.
private enum Frameworks {
    static let folder: String = {
        var place = URL(filePath: #filePath)
        for _ in 0..<4 { place.deleteLastPathComponent() }
        return place.appending(path: ".build/frameworks").path
    }()

    static let areThere: Bool = {
        let isThere = (try? run("python3 -c 'import django, alembic'", in: "/")) != nil
        if !isThere { print("SKIPPED: Django and Alembic are not in \(folder): Scripts/prepare frameworks") }
        return isThere
    }()

    struct Failure: Error {
        var output: String
    }

    static func run(_ script: String, in folder: String) throws {
        let (process, output) = (ChildProcess(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = URL(filePath: folder)
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["PYTHONPATH": Self.folder, "PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(output: String(decoding: text, as: UTF8.self))
        }
    }
}
