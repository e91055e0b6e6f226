extension HeldDatabase.ReleaseFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .logIsRead: "a reader holds the log, so it becomes shorter at the next checkpoint"
        case .notClosed(let error): "it could not be closed in order: \(error)"
        case .notRolledBack(let error):
            "the pages written so far were not rolled back (\(error)): the next program that opens it does that"
        }
    }
}
