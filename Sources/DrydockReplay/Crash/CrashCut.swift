import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import OverlayVFS

/// A durable state that a kill or a power cut leaves while a tool runs migrations.
struct CrashCut: Sendable {
    let image: Image
    /// What had been done by then.
    let call: ToolRun.Call
    /// The pages that differ from the state before.
    let pages: Set<UInt32>

    /// Returns when the cut came, such as `after line 3`, and in which migration.
    func place(in batch: [Migration]) -> (text: String, migration: Migration, place: Finding.Place) {
        switch call {
        case .setup:
            (
                "after the tool made its own table", batch[0], .init(file: batch[0].path)
            )
        case .mark(let index): ("before its first statement", batch[index], .init(file: batch[index].path))
        case .statement(let index, let number):
            (
                "after line \(Finding.Place(batch[index].statements[number]).line ?? 1)", batch[index],
                .init(batch[index].statements[number])
            )
        case .commit(let index):
            ("after its COMMIT", batch[index], .init(file: batch[index].path))
        case .record(let index):
            ("after it was recorded", batch[index], .init(file: batch[index].path))
        }
    }
}
