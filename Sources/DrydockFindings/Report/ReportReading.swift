/// One way in which migrations were read and run, where the project does not say which tool runs them.
public struct ReportReading: Sendable, Hashable, Codable {
    /// The names of the formats whose tools run the migrations in this way; at least one.
    public var formats: [String]
    /// How that differs from the other readings, in words, such as `foreign keys on`; empty where words do not say it.
    public var behaviour: String
    /// The line of the project's source that says so, as FILE:LINE; nil where none does.
    public var source: String?

    public init(formats: [String], behaviour: String, source: String? = nil) {
        (self.formats, self.behaviour, self.source) = (formats, behaviour, source)
    }

    /// Such as `sqlx or d1`.
    public var name: String { formats.joined(separator: " or ") }

    /// Such as `sqlx or d1 runs them (foreign keys on: src/db.rs:3)`.
    package var clause: String {
        let facts = [behaviour, source ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
        return "\(name) runs them" + (facts.isEmpty ? "" : " (\(facts))")
    }
}
