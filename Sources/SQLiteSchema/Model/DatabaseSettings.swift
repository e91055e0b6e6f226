/// The settings in a database's header (https://www.sqlite.org/fileformat2.html#the_database_header).
///
/// nil is "not known", as for a SQL file that does not set the value, and equals every value.
public struct DatabaseSettings: Sendable, Hashable {
    public enum AutoVacuum: Int, Sendable, Hashable {
        case none = 0
        case full = 1
        case incremental = 2
    }

    public var userVersion: Int32?
    public var applicationID: Int32?
    /// The page size in bytes, 512 to 65536.
    public var pageSize: Int?
    public var encoding: TextEncoding?
    public var autoVacuum: AutoVacuum?

    public init(
        userVersion: Int32? = nil, applicationID: Int32? = nil, pageSize: Int? = nil,
        encoding: TextEncoding? = nil, autoVacuum: AutoVacuum? = nil
    ) {
        self.userVersion = userVersion
        self.applicationID = applicationID
        self.pageSize = pageSize
        self.encoding = encoding
        self.autoVacuum = autoVacuum
    }
}
