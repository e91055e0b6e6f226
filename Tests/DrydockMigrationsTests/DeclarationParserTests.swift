import Drydock
import Testing

@testable import DrydockTestSupport

/// The comments that declare something, and those that do not.
@Suite struct DeclarationParserTests {
    private static let delete = "DELETE FROM email;"

    @Test(arguments: [
        "-- drydock: deletes from email\n", "--drydock: deletes from email\n",
        "  --  Drydock:deletes from email\n",
        "-- drydock: deletes from email\r\n", "/* drydock: deletes from email */\n",
        "/*\n * drydock: deletes from email\n */\n",
        "/* drydock: inserts into account\n   drydock: deletes from email */\n",
        "SELECT 1; -- drydock: deletes from email\n",
    ]) func counts(_ comment: String) async throws {
        try await LintCase(comment, comment + Self.delete).check(.destructiveUndeclared)
    }

    @Test(arguments: [
        "/* -- drydock: deletes from email */\n", "/*\n-- drydock: deletes from email\n*/\n",
        "-- -- drydock: deletes from email\n", "---- drydock: deletes from email\n",
        "-- see -- drydock: deletes from email\n", "-- was: drydock: deletes from email\n",
        "/* see\n drydock: deletes from email */\n", "/* /* drydock: deletes from email */\n",
        "SELECT '\n-- drydock: deletes from email\n';\n",
        "SELECT 1 AS \"\n-- drydock: deletes from email\n\";\n",
        "SELECT 1 AS [\n-- drydock: deletes from email\n];\n",
        "/* a */ /* -- drydock: deletes from email */\n",
        "-- a\n-- a drydock: deletes from email\n",
    ]) func doesNot(_ comment: String) async throws {
        try await LintCase(comment, comment + Self.delete, says: [.error]).check(.destructiveUndeclared)
    }

    @Test func aMisspeltDeclarationIsReported() async throws {
        try await LintCase("", "-- drydock deletes from email\n" + Self.delete, says: [.error]).check(
            .invalidDeclaration)
        try await LintCase("", "/* drydock: delets from email */\n" + Self.delete, says: [.error]).check(
            .invalidDeclaration)
    }
}
