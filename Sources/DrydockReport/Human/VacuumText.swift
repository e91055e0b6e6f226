import Drydock
import Foundation
import SQLiteSchema

/// What `drydock vacuum` prints of a database.
struct VacuumText {
    let vacuum: VacuumSummary
    let seconds: Double
    let options: RenderOptions

    /// What a vacuum did, or would do.
    var text: String {
        let paint = options.paint
        let (old, new) = (vacuum.forecast.bytes, vacuum.bytesAfter)
        let size = StatisticsRenderer.size
        guard vacuum.method != .untouched else {
            return
                "\(paint.bold(VisibleText.line(vacuum.database)))  the file is empty (0 bytes) and is left unchanged\n"
        }
        var text = "\(paint.bold(VisibleText.line(vacuum.database)))  \(size(old)) -> "
        guard vacuum.method != .forecast else {
            text += "about \(size(new))\n"
            for need in vacuum.forecast.needs {
                let free = need.free.map { ", \(size($0)) free" } ?? ""
                text +=
                    "  needs \(size(need.bytes)) in \(VisibleText.line(need.folder))\(free): \(VisibleText.line(need.purpose))\n"
            }
            if let seconds = vacuum.forecast.seconds, let sample = vacuum.forecast.sampleBytes {
                text +=
                    "  takes about \(roughly(seconds)), from a sample of \(size(sample)) that was copied, "
                text += "checked and compared in memory, and from how fast the disk writes 8 MiB\n"
            }
            return text + "  nothing was written\n"
        }
        text += "\(size(new)) in \(String(format: "%.1f", seconds)) s"
        if old > 0, new <= old { text += ", \(100 - new * 100 / old) % smaller" }
        text += "\n"
        if vacuum.tablesCompared > 0 {
            text +=
                "  \(counted(vacuum.rowsCompared, "row")) in \(counted(vacuum.tablesCompared, "table")) "
                + "compared with the old ones: all there, to the bit\n"
        }
        if vacuum.copies > 1 {
            text += "  copied \(vacuum.copies) times: another program committed in the meantime\n"
        }
        for note in vacuum.notes { text += "  \(paint.yellow("note:")) \(VisibleText.line(note))\n" }
        return text
    }

    private func roughly(_ seconds: Double) -> String {
        seconds < 1
            ? "a second" : seconds < 90 ? "\(Int(seconds.rounded(.up))) s" : "\(Int(seconds / 60) + 1) min"
    }
}
