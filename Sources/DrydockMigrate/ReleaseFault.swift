extension HeldDatabase.ReleaseFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .logIsRead:
            "another program is reading the log, so it becomes shorter only at the next checkpoint"
        case .notClosed(let error): "it could not be closed cleanly: \(error)"
        case .notRolledBack(let error):
            "the pages written so far were not rolled back (\(error)): the next program that opens the database rolls them back"
        }
    }
}
