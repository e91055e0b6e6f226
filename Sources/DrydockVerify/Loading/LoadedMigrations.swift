import DrydockFindings
import DrydockMigrations
import DrydockReplay

/// The migrations of a request, as they were read before the first snapshot is replayed.
struct LoadedMigrations: Sendable {
    var set: MigrationSet
    /// All readings of the migrations, of which ``set`` is the first; nil where they were not read from a folder.
    var readings: Readings?
    /// The project's own command, and what it made of an empty database.
    var command: CommandProject?
    /// Set when there was not enough time.
    var overdue: Overdue?
    /// Why no snapshot is replayed.
    var obstacle: Finding?
}
