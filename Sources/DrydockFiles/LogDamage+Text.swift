import DrydockFindings
import SQLiteFile

extension LogDamage {
    /// What is damaged, and what SQLite therefore does not read.
    package var text: String {
        switch self {
        case .header(let frames):
            "the write-ahead log's header is damaged, so SQLite ignores it"
                + (frames > 0 ? ": \(counted(frames, "page")) in it may be lost" : "")
        case .frame(let number, 0):
            "the write-ahead log breaks off at frame \(number), and SQLite does not read what follows"
        case .frame(let number, let commits):
            "the write-ahead log breaks off at frame \(number), and SQLite does not read "
                + "\(counted(commits, "transaction")) after it"
        case .cut(let frame):
            "the write-ahead log ends in the middle of frame \(frame), and SQLite does not read that part"
        }
    }
}
