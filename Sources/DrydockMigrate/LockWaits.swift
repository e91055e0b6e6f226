/// How long, and how often, `drydock migrate` waits for other programs that use the database.
enum LockWaits {
    /// How long it waits for a lock, unless the request says otherwise.
    static let busyTimeout = Duration.seconds(5)

    // MARK: - Reading

    /// How long a read transaction may last. In a rollback journal mode no program can commit meanwhile: a read that
    /// outlasts the first limit goes on without the transaction and is valid if nobody wrote; only the later attempts
    /// make writers wait.
    static let shortRead = Duration.seconds(1)
    static let longRead = Duration.seconds(3600)
    static let longReads = 4

    // MARK: - Installing

    /// How often another program may commit between the rehearsal and the lock.
    static let rehearsals = 20
    /// A rehearsal that takes no longer is not repeated before the lock.
    static let shortRehearsal = Duration.milliseconds(50)
    /// How often the log is read again because it started over.
    static let logReads = 4

    // MARK: - Catching up

    /// How long the read transaction lasts after a look. A checkpoint that starts the log over may be waiting for its end,
    /// and keeps all programs from writing meanwhile.
    static let catchUp = Duration.milliseconds(300)
    /// How long to wait for the lock before giving way to such a checkpoint.
    static let catchUpLock = Duration.milliseconds(100)
}
