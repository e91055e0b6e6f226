/// A number in the file's header that SQLite leaves to the application
/// (https://www.sqlite.org/fileformat2.html#user_version_number).
package enum HeaderMark: String, Sendable, Hashable, CaseIterable {
    case userVersion = "user_version"
    case applicationID = "application_id"
}
