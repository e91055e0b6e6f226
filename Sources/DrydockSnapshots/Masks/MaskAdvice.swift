import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Decides which columns to mask by their name, their type and what is in the chosen rows, for a person to check.
struct MaskAdvice {
    let connection: any Connection
    let source: SubsetSource

    /// How many rows of a table are looked at.
    private static let sample = 500

    /// Adds the columns that need a mask to the plan.
    /// - Returns: Why the others stay.
    func complete(_ plan: inout MaskPlan) throws -> [MaskPlan.Place: String] {
        var left: [MaskPlan.Place: String] = [:]
        for table in source.tables {
            for column in table.maskable {
                let place = MaskPlan.Place(table: table.folded, column: column.foldedASCII)
                guard plan.styles[place] == nil, !plan.allowed.contains(place) else { continue }
                switch advice(column, in: table, try content(column, of: table)) {
                case .mask(let reason): plan.add(place, .form, reason)
                case .leave(let reason): left[place] = reason
                }
            }
        }
        return left
    }

    private enum Advice {
        case mask(String), leave(String)
    }

    private struct Content {
        var (count, blobs, letters) = (0, 0, 0)
        /// Numbers, also in texts, that are long enough for a telephone or an account.
        var longNumbers = 0
        /// Texts that are not written as programs write codes.
        var words = 0
        var forms: [MaskForm: Int] = [:]
        var distinct: Set<SQLValue> = []

        var texts: Int { forms.values.reduce(0, +) }
        func isMostly(_ form: MaskForm) -> Bool { texts > 0 && forms[form, default: 0] * 5 >= texts }
        func isOnly(_ kinds: MaskForm...) -> Bool { forms.keys.allSatisfy(kinds.contains) }
    }

    private func content(_ column: String, of table: SubsetTable) throws -> Content {
        var content = Content()
        let value = "c.\(quotedName(column))"
        try connection.forEachRow(
            "SELECT \(value) FROM \(table.chosenRows) WHERE \(value) IS NOT NULL LIMIT \(Self.sample)"
        ) { row in
            content.count += 1
            switch row.storage(0) {
            case .text:
                let text = Array(row.string(0).utf8)
                let form = MaskForm(text)
                content.forms[form, default: 0] += 1
                if form == .number, Self.isLong(text) { content.longNumbers += 1 }
                if !Self.isCode(text) { content.words += 1 }
                content.letters += text.count
                content.distinct.insert(.text(text))
            case .blob: content.blobs += 1
            case .integer: if Self.isLong(row.integer(0)) { content.longNumbers += 1 }
            case .real, .null: break
            }
        }
        return content
    }

    private func advice(_ column: String, in table: SubsetTable, _ content: Content) -> Advice {
        if content.count == 0 { return .leave("no value") }
        // Masked, it might no longer say what is applied.
        if table.isHistory, table.toolColumns.isEmpty {
            return .leave("of a history whose tool is not known")
        }
        let isNumericKey =
            isKey(column, of: table) && content.isOnly(.number, .hexadecimal) && content.blobs == 0
        // The name of `email_id` is about what it refers to.
        if isNumericKey, column.foldedASCII.hasSuffix("id") { return .leave("a key") }
        if let word = PersonalWords.first(in: column) { return .mask("its name has '\(word)'") }
        if content.isMostly(.email) { return .mask("e-mail addresses") }
        if content.isMostly(.web) { return .mask("web addresses") }
        if isNumericKey { return .leave("a key") }
        if content.blobs == 0, content.isOnly(.number) {
            return content.longNumbers == 0 ? .leave("numbers") : .mask("long numbers")
        }
        if content.blobs > 0 { return .mask("blobs") }
        if content.isMostly(.json) { return .mask("JSON") }
        if content.isOnly(.date, .time) { return .leave("dates and times") }
        if content.isOnly(.hexadecimal) { return .mask("checksums or tokens") }
        let isListed = content.distinct.count <= 12 && content.count >= 3 * content.distinct.count
        if isListed, content.words == 0, content.letters <= 24 * content.texts {
            return .leave("a few repeated codes")
        }
        return .mask("text")
    }

    /// Whether a number has as many digits as telephone and account numbers have, or a sign or zeros before it as they do.
    private static func isLong(_ text: [UInt8]) -> Bool {
        let digits = text.prefix { $0 != UInt8(ascii: ".") }.count(where: MaskForm.isDigit)
        return digits >= longNumber || text.first == UInt8(ascii: "+")
            || digits > 1 && text.first == UInt8(ascii: "0")
    }

    /// A whole number that counts seconds, or thousandths or millionths of them, since 1970 is a time.
    private static func isLong(_ number: Int64) -> Bool {
        let isTime = [1, 1000, 1_000_000].contains { times.contains(number.magnitude / $0) }
        return number.magnitude >= 1_000_000 && !isTime
    }

    /// The fewest digits of a long number.
    private static let longNumber = 7
    /// From 1990 to 2050, in seconds since 1970.
    private static let times = UInt64(631_152_000)...2_524_608_000

    /// Whether a text is written as programs write codes, such as `active`, `image/png`, `EUR` and `de-DE`; `Anna` and
    /// `Main Street` are not.
    private static func isCode(_ text: [UInt8]) -> Bool {
        guard text.allSatisfy({ $0 > 32 && $0 < 127 }), let first = text.first else { return false }
        let startsLarge = (65...90).contains(first)
        return !startsLarge || !text.contains { (97...122).contains($0) }
    }

    private func isKey(_ column: String, of table: SubsetTable) -> Bool {
        let folded = column.foldedASCII
        let model = source.schema.table(table.name)
        if model?.primaryKey?.terms.contains(where: { $0.column.foldedASCII == folded }) == true {
            return true
        }
        return source.links.contains { link in
            link.child == table.name && link.columns.contains { $0.foldedASCII == folded }
                || link.parent == table.name && link.parentColumns.contains { $0.foldedASCII == folded }
        }
    }
}
