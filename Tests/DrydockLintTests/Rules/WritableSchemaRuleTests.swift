import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct WritableSchemaRuleTests {
    @Test(arguments: [
        LintCase("on", "PRAGMA writable_schema = ON; PRAGMA writable_schema = OFF", says: [.warning]),
        LintCase("off", "PRAGMA writable_schema = OFF"),
        LintCase("a question", "PRAGMA writable_schema"),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.writableSchema) }
}
