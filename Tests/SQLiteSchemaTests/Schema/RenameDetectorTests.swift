import SQLiteSchema
import Testing

@Suite struct RenameDetectorTests {
    private func decide(_ old: String, _ new: String) throws -> (taken: [String], open: [String]) {
        func schema(_ sql: String) throws -> Schema {
            try SchemaParser().schema(of: SQLSource(name: "", sql))
        }
        let detector = RenameDetector(from: try schema(old), to: try schema(new))
        let (tables, columns) = (
            RenameDetector.decide(detector.tables()), RenameDetector.decide(detector.columns(RenameHints()))
        )
        func list(_ candidates: [RenameCandidate]) -> [String] { candidates.map { "\($0.oldPath)=\($0.to)" } }
        return (list(tables.taken + columns.taken), list(tables.open + columns.open))
    }

    @Test(arguments: [
        ("mail text", "email text"), ("fromAddress text", "from_address text"), ("name", "full_name"),
        ("colour int", "color int"), ("created_at", "createdAt"),
    ])
    func `similar names are accepted`(old: String, new: String) throws {
        let found = try decide("create table t(id, \(old))", "create table t(id, \(new))")
        #expect(found.taken.count == 1 && found.open == [], "\(found)")
    }

    @Test(arguments: [
        ("created_at text", "avatar_url text"), ("notificationsReports int", "notificationsOther int"),
        ("a", "b"), ("sender text", "from_address text"),
    ])
    func `position and type are not enough`(old: String, new: String) throws {
        let found = try decide("create table t(id, \(old))", "create table t(id, \(new))")
        #expect(found.taken == [] && found.open.count == 1, "\(found)")
    }

    @Test func `the most similar name wins over the position`() throws {
        let found = try decide("create table t(id, mail text)", "create table t(id, phone text, email text)")
        #expect(found.taken == ["t.mail=email"])
        #expect(try decide("create table t(id, a text)", "create table t(id, b text, c text)").taken == [])
    }

    @Test func `a name that comes as close leaves the rename open`() throws {
        let found = try decide("create table t(id, mail text)", "create table t(id, email text, mails text)")
        #expect(found.taken == [] && found.open == ["t.mail=email", "t.mail=mails"], "\(found)")
    }

    @Test func `a table is matched by its name and columns together`() throws {
        #expect(
            try decide("create table person(a, b)", "create table persons(a, b)").taken == ["person=persons"])
        #expect(
            try decide("create table person(a, b)", "create table invoice(a, b)").open == ["person=invoice"])
        #expect(try decide("create table person(a, b)", "create table persons(c, d)").taken == [])
    }
}
