import SQLiteSchema
import DrydockFindings
import DrydockState
import SQLiteFile

/// The check `text-encoding`: a text that is not valid in the database's encoding.
struct TextEncodingCheck: RangedHealthCheck {
    let text = HealthCheckText(
        .textEncoding, "a text is not valid UTF-8 or UTF-16",
        why: "Programs replace or reject such text, and some crash.")

    let isDeepOnly = true
    let isDivisible = true

    func check(_ view: HealthView) throws -> HealthResult {
        try parts(view).reduce(into: HealthResult()) { $0 += try check(view, part: $1) }
    }

    func parts(_ view: HealthView) -> [String] { view.tables.map(\.name) }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        try checkWhole(view, part: part)
    }

    func check(_ view: HealthView, part: String, _ range: inout HealthRange) throws {
        guard let root = view.facts.roots[part] else {
            range.isDone = true
            return
        }
        let encoding = view.file.header.encoding
        let records = RecordTallies(view, root: root) { rowid, bytes, page, found in
            var reader = try RecordReader(bytes, page: page)
            while let field = try reader.next() {
                guard field.storageClass == .text, !Self.isText(field.bytes, encoding) else { continue }
                return found[0].add(rowid: rowid)
            }
        }
        try records.add(to: &range, [HealthTally(nil)], isProved: view.facts.isProved)
    }

    func findings(_ tallies: [HealthTally], part: String) -> [Finding] {
        tallies.map { tally in
            finding(
                .warning,
                "\(counted(tally.count, "row")) of \(part) hold text that is not valid in the database's encoding",
                help:
                    "Bytes belong in a BLOB: find the code that binds them as text, and rewrite them with CAST(column AS BLOB).",
                table: part, evidence: tally.evidence)
        }
    }

    private static func isText(_ bytes: UnsafeRawBufferPointer, _ encoding: TextEncoding) -> Bool {
        guard encoding != .utf8 else {
            return bytes.isASCII || String(validating: bytes, as: UTF8.self) != nil
        }
        guard bytes.count % 2 == 0 else { return false }
        let units = stride(from: 0, to: bytes.count, by: 2).map { offset in
            let unit = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
            return encoding == .utf16LittleEndian ? UInt16(littleEndian: unit) : UInt16(bigEndian: unit)
        }
        return String(validating: units, as: UTF16.self) != nil
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the text is ASCII, as most text is; eight bytes are compared at a time.
    fileprivate var isASCII: Bool {
        var offset = 0
        while offset + 8 <= count {
            if loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 {
                return false
            }
            offset += 8
        }
        while offset < count {
            if self[offset] & 0x80 != 0 { return false }
            offset += 1
        }
        return true
    }
}
