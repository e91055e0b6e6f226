import DrydockFleet
import DrydockVerify
import Testing

@testable import DrydockTestSupport

@Suite struct SettingsDigestTests {
    /// Results of one SQLite library do not count for another that has taken its place.
    @Test func aReplacedLibraryMakesOtherSettings() throws {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/v1.sql", "")
        var request = VerifyRequest()
        request.checks.sqliteLibraries = [try folder.write("libraries/libsqlite3.so.0", "one")]
        request.migrations.folder = folder.file("Migrations")
        let one = SettingsDigest.of(request, version: "1")
        #expect(SettingsDigest.of(request, version: "1") == one)
        try folder.write("libraries/libsqlite3.so.0", "two")
        #expect(SettingsDigest.of(request, version: "1") != one)
    }

    /// Nor those of a migration that has changed, however deep it lies.
    @Test(arguments: ["v1.sql", "2024/v2.sql", "a/b/c/v3.sql"])
    func aMigrationThatHasChangedMakesOtherSettings(_ name: String) throws {
        let folder = try TemporaryFolder()
        var request = VerifyRequest()
        request.migrations.folder = folder.file("Migrations")
        try folder.write("Migrations/\(name)", "SELECT 1")
        let one = SettingsDigest.of(request, version: "1")
        try folder.write("Migrations/\(name)", "SELECT 2")
        #expect(SettingsDigest.of(request, version: "1") != one)
    }
}
