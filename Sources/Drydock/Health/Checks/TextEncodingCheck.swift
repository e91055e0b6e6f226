import SQLiteFile

/// `text-encoding`: a text that is not valid in the database's encoding.
struct TextEncodingCheck: HealthCheck {
    let text = HealthCheckText(
        "text-encoding", "a text is not valid UTF-8 or UTF-16",
        why: "Programs replace or refuse such text, and some crash.")

    let isDeepOnly = true
    let isDivisible = true

    func check(_ view: HealthView) throws -> HealthResult {
        try parts(view).reduce(into: HealthResult()) { $0 += try check(view, part: $1) }
    }

    func parts(_ view: HealthView) -> [String] { view.tables.map(\.name) }

    func check(_ view: HealthView, part: String) throws -> HealthResult {
        guard let root = view.facts.root(of: part) else { return HealthResult() }
        var cursor = try TreeCursor(view.file, root: root)
        let isTable = cursor.isTable
        var buffer = PayloadBuffer()
        var evidence = Evidence(rowCount: 0)
        while let row = try cursor.next() {
            var reader = try RecordReader(
                try view.file.bytes(of: row.payload, in: &buffer), page: row.payload.page)
            var isValid = true
            while isValid, let field = try reader.next() {
                isValid = field.storageClass != .text || isText(field.bytes, view.file.header.encoding)
            }
            guard !isValid else { continue }
            evidence.rowCount = (evidence.rowCount ?? 0) + 1
            if isTable, evidence.rows.count < Evidence.rowLimit {
                let rowid = Evidence.Sample(.integer(row.rowid), encoding: .utf8)
                evidence.rows.append(.init(key: [.init(column: "rowid", value: rowid)]))
            }
        }
        guard let count = evidence.rowCount, count > 0 else { return HealthResult() }
        return HealthResult([
            finding(
                .warning,
                "\(counted(count, "row")) of \(part) hold text that is not valid in the database's encoding",
                help:
                    "Bytes belong into a BLOB: find who binds them as text, and write them anew with CAST(column AS BLOB).",
                table: part, evidence: evidence)
        ])
    }

    private func isText(_ bytes: UnsafeRawBufferPointer, _ encoding: StoredEncoding) -> Bool {
        guard encoding != .utf8 else { return String(validating: bytes, as: UTF8.self) != nil }
        guard bytes.count % 2 == 0 else { return false }
        let units = stride(from: 0, to: bytes.count, by: 2).map { offset in
            let unit = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
            return encoding == .utf16LittleEndian ? UInt16(littleEndian: unit) : UInt16(bigEndian: unit)
        }
        return String(validating: units, as: UTF16.self) != nil
    }
}
