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
        for table in source.tables where !table.isHistory {
            for column in table.columns {
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
        var (count, numbers, blobs, letters) = (0, 0, 0, 0)
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
                content.forms[MaskForm(text), default: 0] += 1
                content.letters += text.count
                content.distinct.insert(.text(text))
            case .blob: content.blobs += 1
            case .integer, .real: content.numbers += 1
            case .null: break
            }
        }
        return content
    }

    private func advice(_ column: String, in table: SubsetTable, _ content: Content) -> Advice {
        if content.count == 0 { return .leave("no value") }
        if let word = Self.sensitive(column) { return .mask("its name has '\(word)'") }
        if content.isMostly(.email) { return .mask("e-mail addresses") }
        if content.isMostly(.web) { return .mask("web addresses") }
        if isKey(column, of: table), content.isOnly(.number, .hexadecimal), content.blobs == 0 {
            return .leave("a key")
        }
        if content.texts == 0, content.blobs == 0 { return .leave("numbers") }
        if content.blobs > 0 { return .mask("blobs") }
        if content.isMostly(.json) { return .mask("JSON") }
        if content.isOnly(.date, .time) { return .leave("dates and times") }
        if content.isOnly(.number) { return .leave("numbers") }
        if content.isOnly(.hexadecimal) { return .mask("checksums or tokens") }
        let isListed = content.distinct.count <= 12 && content.count >= 3 * content.distinct.count
        if isListed, content.letters <= 24 * content.texts { return .leave("few values that repeat") }
        return .mask("text")
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

    /// Words in the names of columns that are about people or secrets.
    private static let words = [
        "email", "mail", "phone", "mobile", "fax", "address", "street", "city", "zip", "postcode", "postal",
        "iban", "bic",
        "card", "cvv", "ssn", "passport", "license", "licence", "password", "passwd", "pwd", "secret",
        "token", "salt",
        "birth", "birthday", "dob", "firstname", "lastname", "surname", "fullname", "nickname", "username",
        "ip", "latitude",
        "longitude", "lat", "lon", "lng", "salary", "income", "diagnosis", "religion", "gender",
    ]

    /// Returns the word in a name that says that it is about a person: `sender_email` has `email`.
    private static func sensitive(_ column: String) -> String? {
        var parts: [String] = [""]
        var wasLower = false
        for character in column {
            let isBreak = !character.isLetter || character.isUppercase && wasLower
            if isBreak, parts.last != "" { parts.append("") }
            if character.isLetter { parts[parts.count - 1].append(contentsOf: character.lowercased()) }
            wasLower = character.isLowercase
        }
        let joined = parts.joined()
        return words.first { parts.contains($0) || joined == $0 }
    }
}
