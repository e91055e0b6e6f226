/// Places in a database's header (https://www.sqlite.org/fileformat2.html#the_database_header).
package enum HeaderBytes {
    /// Where every commit writes: the change counter, and, side by side, the commit for which the page count is valid and
    /// the version of the library.
    package static let ofCommit = [24..<28, 92..<100]
    /// The schema cookie, which every change of the schema counts up.
    package static let ofSchemaCookie = 40..<44
    static let changeCounter = 24..<28
    /// The change counter for which the page count is valid.
    static let validCounter = 92..<96
    /// The header's length.
    static let count = 100
}
