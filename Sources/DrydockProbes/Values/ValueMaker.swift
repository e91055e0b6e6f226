import DatabaseEngine
import SQLiteSchema

/// A maker of ordinary values.
struct ValueMaker: Sendable {
    /// What the first word of texts depends on.
    var seed: UInt64
    /// The name of the table, for texts that are keys.
    var table: String

    /// Which row a value is for.
    struct Row: Sendable {
        /// A number that no other row has.
        var key: Int
        /// Its place among the rows of its table.
        var index: Int
        /// How often it was tried before; only what is uncertain changes with it.
        var variant = 0
    }

    /// Returns the value for a row that conditions leave open.
    func value(_ column: ColumnPlan, _ domain: Domain, _ row: Row) -> SQLValue {
        if domain.isNull == true { return .null }
        if row.variant > 0, let value = variant(column, row),
            domain.isFree || value.number != nil && domain.allows(value)
        {
            return value
        }
        if let kinds = domain.storage, let value = stored(column, kinds, row) { return value }
        let value = kindValue(column, domain, row)
        if case .blob(let bytes) = value { return .blob(sized(bytes, domain.lengths)) }
        if case .text(let bytes) = value {
            let text = String(decoding: bytes, as: UTF8.self)
            let fitter = TextFitter(domain: domain, row: row, isKey: column.isUnique)
            return SQLValue(fitter.fitted(text, others: domain.pattern == nil ? [] : otherTexts(column, row)))
        }
        return domain.allows(value) ? value : ranged(column, domain, row)
    }

    /// Returns bytes of a length that a condition allows.
    private func sized(_ bytes: [UInt8], _ lengths: ClosedRange<Int>) -> [UInt8] {
        if bytes.count > lengths.upperBound { return Array(bytes.prefix(lengths.upperBound)) }
        let missing = min(lengths.lowerBound, 100_000) - bytes.count
        return missing > 0 ? bytes + Array(repeating: 0x41, count: missing) : bytes
    }

    // MARK: - By kind

    private func kindValue(_ column: ColumnPlan, _ domain: Domain, _ row: Row) -> SQLValue {
        if let shape = domain.json { return SQLValue(JSONText(column, row, shape).text) }
        if domain.forms.contains(.timestamp) {
            return SQLValue("\(moment(column, row).date) \(moment(column, row).time)")
        }
        if domain.forms.contains(.date) { return SQLValue(moment(column, row).date) }
        if domain.forms.contains(.time) { return SQLValue(moment(column, row).time) }
        let when = moment(column, row)
        switch column.kind {
        case .number: return number(column, row)
        case .boolean: return boolean(column, row)
        case .bytes: return .blob(bytes(column, row))
        case .json(let shape): return SQLValue(JSONText(column, row, shape).text)
        case .date: return SQLValue(when.date)
        case .timestamp: return SQLValue("\(when.date) \(when.time)")
        case .isoTimestamp: return SQLValue("\(when.date)T\(when.time).000Z")
        case .time: return SQLValue(when.time)
        case .epoch(let isMilliseconds): return epoch(column, when, isMilliseconds)
        case .email: return SQLValue("\(word(column)).\(row.key)@example.com")
        case .url: return SQLValue("https://example.com/\(word(column))/\(row.key)")
        case .uuid: return column.affinity == .blob ? .blob(bytes(column, row)) : SQLValue(uuid(column, row))
        case .phone: return SQLValue("+1 555 0\(row.key) \(column.rank)")
        case .zip: return SQLValue("0\(row.key + column.rank * 7 + 1000)")
        case .numeral(let isWhole):
            let whole = self.whole(column, row)
            return SQLValue(isWhole ? "\(whole)" : "\(whole).\(["5", "25", "75"][row.index % 3])")
        case .hex: return SQLValue(digest(column, row, 16))
        case .color: return SQLValue("#" + hex(UInt64(row.key * 4099 + column.rank * 65_537 + 0xA0_0000), 6))
        case .text:
            switch domain.lengths {
            case 36...36: return SQLValue(uuid(column, row))
            case 32...32, 40...40, 64...64: return SQLValue(digest(column, row, domain.lengths.lowerBound))
            default: return SQLValue(text(column, row))
            }
        }
    }

    private func text(_ column: ColumnPlan, _ row: Row) -> String {
        let words = ColumnKind.words(column.name)
        let name = words.isEmpty ? "text" : words.joined(separator: " ")
        if let last = words.last, Self.identifiers.contains(last) { return "\(word(column))-\(row.key)" }
        return "\(word(column)) \(name) \(row.key)"
    }

    /// Names of texts without spaces.
    private static let identifiers: Set<String> = [
        "id", "key", "slug", "code", "token", "username", "login", "handle", "hash", "sha", "checksum",
        "path",
    ]

    private func number(_ column: ColumnPlan, _ row: Row) -> SQLValue {
        if column.isRowid { return .integer(Int64(row.key)) }
        let whole = whole(column, row)
        switch column.affinity {
        case .integer: return .integer(whole)
        // Numbers with a fraction that binary has exactly.
        default: return .real(Double(whole) + [0.5, 0.25, 0.75][row.index % 3])
        }
    }

    private func whole(_ column: ColumnPlan, _ row: Row) -> Int64 {
        Int64(column.rank + 1) * 1000 + Int64(row.key % 1000)
    }

    private func boolean(_ column: ColumnPlan, _ row: Row) -> SQLValue {
        let isTrue = (row.index + column.rank + 1) % 2
        return column.affinity == .text ? SQLValue(isTrue == 1 ? "true" : "false") : .integer(Int64(isTrue))
    }

    private func epoch(_ column: ColumnPlan, _ when: DateTime, _ isMilliseconds: Bool) -> SQLValue {
        let number = Int64(when.seconds) * (isMilliseconds ? 1000 : 1)
        return column.affinity == .real ? .real(Double(number) + 0.5) : .integer(number)
    }

    private func moment(_ column: ColumnPlan, _ row: Row) -> DateTime {
        DateTime(day: (column.rank * 3 + row.index) % 20_000)
    }

    // MARK: - What conditions ask for

    /// Returns a value of one of the storage classes that `typeof` is compared with, if the column's own is not.
    private func stored(_ column: ColumnPlan, _ kinds: Set<String>, _ row: Row) -> SQLValue? {
        let natural =
            switch column.affinity {
            case .integer: "integer"
            case .real: "real"
            case .numeric: "real"
            case .text: "text"
            case .blob: column.kind == .bytes ? "blob" : "text"
            }
        guard !kinds.contains(natural) else { return nil }
        if kinds.contains("integer") { return .integer(whole(column, row)) }
        if kinds.contains("text") { return SQLValue(text(column, row)) }
        if kinds.contains("blob") { return .blob(bytes(column, row)) }
        return kinds.contains("real") ? .real(Double(row.key) + 0.5) : nil
    }

    /// Returns a number in the range of the domain.
    private func ranged(_ column: ColumnPlan, _ domain: Domain, _ row: Row) -> SQLValue {
        if case .text? = domain.low?.value { return domain.low?.value ?? .null }
        if case .text? = domain.high?.value { return number(column, row) }
        let low = domain.low?.value.number
        let high = domain.high?.value.number
        let step = row.index + column.rank + row.variant
        if column.affinity == .integer || column.affinity == .numeric, abs(low ?? 0) < 9e15,
            abs(high ?? 0) < 9e15
        {
            var first = low.map { Int64($0.rounded(.up)) }
            var last = high.map { Int64($0.rounded(.down)) }
            if let bound = domain.low, !bound.isIncluded, let value = first, Double(value) == low {
                first = value + 1
            }
            if let bound = domain.high, !bound.isIncluded, let value = last, Double(value) == high {
                last = value - 1
            }
            let start = first ?? (last.map { $0 - 1000 } ?? 1)
            let end = last ?? start + 1000
            guard start <= end else { return integerOrReal(low, high, step) }
            let span = end - start + 1
            for offset in 0..<Int64(min(span, 64)) {
                let value = SQLValue.integer(start + (Int64(step) + offset) % span)
                if domain.allows(value) { return value }
            }
        }
        return integerOrReal(low, high, step)
    }

    private func integerOrReal(_ low: Double?, _ high: Double?, _ step: Int) -> SQLValue {
        let start = low ?? (high ?? 1000) - 1000
        let end = high ?? start + 1000
        return .real(start + (end - start) * (Double(step % 31) + 0.5) / 32)
    }

    /// Values that conditions which are not understood may take, one for each attempt.
    private func variant(_ column: ColumnPlan, _ row: Row) -> SQLValue? {
        guard !column.isRowid || column.isUncertain else { return nil }
        switch column.affinity {
        case .integer, .real, .numeric:
            let index = Int64(row.index)
            let numbers: [Int64] = [
                1, 0, 2, 10, 100, 7, 5, 3, 12, 60, 64, -1, 256, 1000, 1_704_101_400 + index,
                1_704_101_400_000 + index, index, index + 1,
            ]
            // After the last one the column's own value comes again.
            let choice = row.variant % (numbers.count + 1)
            return choice == 0 ? nil : .integer(numbers[choice - 1])
        case .text, .blob:
            if column.kind == .bytes { return .blob(Array(bytes(column, row).prefix(row.variant * 2))) }
            let texts = otherTexts(column, row)
            let choice = row.variant % (texts.count + 1)
            return choice == 0 ? nil : SQLValue(texts[choice - 1])
        }
    }

    /// Values of several kinds that a person would type, the column's own first.
    func natural(_ column: ColumnPlan, _ row: Row) -> [SQLValue] {
        let own = kindValue(column, Domain(), row)
        switch column.affinity {
        case .integer, .real, .numeric:
            let numbers: [Int64] = [1, 0, 2, 3, 5, 10, 100, 8, 64, 1000, -1, 1_704_101_400]
            return [own] + numbers.map { column.affinity == .real ? .real(Double($0) + 0.25) : .integer($0) }
                + (column.affinity == .real ? [0, 1, 2] : [])
        case .text, .blob:
            return [own] + otherTexts(column, row).map { SQLValue($0) }
        }
    }

    /// Texts of kinds that the column's name does not tell.
    private func otherTexts(_ column: ColumnPlan, _ row: Row) -> [String] {
        let (key, when) = (row.key, moment(column, row))
        return [
            "\(word(column))-\(key)", "\(word(column))\(key)", "\(key)", "\(word(column).uppercased())\(key)",
            when.date, "\(when.date) \(when.time)", "\(when.date)T\(when.time)Z",
            "\(when.date)T\(when.time).000Z", "\(word(column)).\(key)@example.com", uuid(column, row),
            hex(UInt64(key), 8), "[]", "{}", String(word(column).prefix(1)), "https://example.com/\(key)",
            when.time, "+1555\(key)", "192.0.2.\(key % 200)",
        ]
    }

    private func digest(_ column: ColumnPlan, _ row: Row, _ count: Int) -> String {
        let digits = bytes(column, row).map { hex(UInt64($0), 2) }.joined()
        return String((digits + digits).prefix(count))
    }

    // MARK: - Parts

    /// A word that only this column of its table has, as long as there are letters; columns of a greater rank have
    /// words that sort later.
    private func word(_ column: ColumnPlan) -> String {
        let choices = Self.words[column.rank % Self.words.count]
        var random = SeededRandom(seed: seed, name: table)
        let word = choices[(random.below(choices.count) + column.rank) % choices.count]
        return column.rank < Self.words.count ? word : word + "\(column.rank / Self.words.count)"
    }

    private func bytes(_ column: ColumnPlan, _ row: Row) -> [UInt8] {
        var random = SeededRandom(seed: seed &+ UInt64(row.key), name: table + "." + column.folded)
        return [random.next(), random.next()].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }

    /// A random UUID of version 4 (https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-4).
    private func uuid(_ column: ColumnPlan, _ row: Row) -> String {
        var digits = Array(bytes(column, row).flatMap { hex(UInt64($0), 2) })
        digits[12] = "4"
        digits[16] = "a"
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    private func hex(_ number: UInt64, _ count: Int) -> String {
        let digits = String(number, radix: 16)
        return String((String(repeating: "0", count: count) + digits).suffix(count))
    }

    private static let words = [
        ["amber", "apple", "arrow"], ["birch", "brook", "bread"], ["cedar", "cloud", "coral"],
        ["delta", "daisy", "dawn"], ["ember", "eagle", "elm"], ["fern", "frost", "field"],
        ["grove", "glass", "garden"], ["hazel", "harbor", "honey"], ["iris", "ivory", "island"],
        ["jade", "juniper", "jasper"], ["kelp", "kite", "knoll"], ["lemon", "lake", "linen"],
        ["maple", "meadow", "moss"], ["north", "nutmeg", "nest"], ["olive", "ocean", "orchid"],
        ["pearl", "pine", "pebble"], ["quartz", "quill", "quince"], ["river", "rose", "reed"],
        ["sage", "silver", "stone"], ["tulip", "timber", "tide"], ["umber", "upland", "urchin"],
        ["violet", "valley", "velvet"], ["willow", "water", "wheat"], ["xenon", "xylem", "xeric"],
        ["yarrow", "yew", "yellow"], ["zinnia", "zephyr", "zinc"],
    ]
}
