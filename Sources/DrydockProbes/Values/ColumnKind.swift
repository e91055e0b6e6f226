import DatabaseEngine
import SQLiteSchema

/// What a column is for, as its name, type and default say.
package enum ColumnKind: Sendable, Hashable {
    case text, number, boolean, bytes
    case json(JSONShape)
    case date, timestamp, isoTimestamp, time
    /// Seconds since 1970, or milliseconds.
    case epoch(isMilliseconds: Bool)
    case email, url, uuid, phone, zip, color
    /// A number that is written as text.
    case numeral(isWhole: Bool)
    case hex

    /// - Parameters:
    ///   - json: the shape where a query reads the column as JSON.
    ///   - demands: what functions demand of its values, which decides before the name does.
    init(_ column: Column, affinity: Affinity, json: JSONShape?, demands: [Demand] = []) {
        let words = Self.words(column.name)
        let type = column.declaredType.foldedASCII
        let takesText = affinity == .text || affinity == .numeric || (affinity == .blob && type != "blob")
        if let json, affinity != .integer, affinity != .real {
            self = .json(Self.shape(column, json))
        } else if let kind = Self.demanded(demands, words, type, column, affinity) {
            self = kind
        } else if type.contains("json") {
            self = .json(Self.shape(column, .any))
        } else if type.contains("bool") || Self.isBoolean(words, column, affinity) {
            self = .boolean
        } else if let kind = Self.moment(words, type, column, affinity) {
            self = kind
        } else if takesText, affinity == .text || type.isEmpty || type == "any",
            let kind = Self.named(words, column)
        {
            self = kind
        } else if type.contains("uuid") || type.contains("guid") {
            self = .uuid
        } else {
            switch affinity {
            case .integer, .real, .numeric: self = .number
            case .blob where type.contains("blob"): self = .bytes
            case .blob, .text: self = .text
            }
        }
    }

    /// Whether texts in it are dates or times.
    var isMoment: Bool {
        switch self {
        case .date, .timestamp, .isoTimestamp, .time: true
        default: false
        }
    }

    /// The words of a name in lower case: `createdAt`, `created_at` and `CREATED_AT` have the same.
    package static func words(_ name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var wasLower = false
        for scalar in name.unicodeScalars {
            let isUpper = ("A"..."Z").contains(scalar)
            let isLetter = isUpper || ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
            if !isLetter || (isUpper && wasLower) {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if isLetter { word += String(scalar).foldedASCII }
            wasLower = isLetter && !isUpper
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    private static func isBoolean(_ words: [String], _ column: Column, _ affinity: Affinity) -> Bool {
        guard affinity == .integer || affinity == .numeric, let first = words.first, let last = words.last,
            !["at", "on", "date", "time", "by", "id", "count"].contains(last)
        else { return false }
        if ["is", "has", "can", "should", "allow", "use", "enable", "show"].contains(first), words.count > 1 {
            return true
        }
        if ["enabled", "disabled", "active", "deleted", "archived", "hidden", "visible", "public"].contains(
            last)
        {
            return true
        }
        if case .boolean? = column.defaultValue { return true }
        guard case .integer(let value)? = column.defaultValue, value == 0 || value == 1 else { return false }
        return last.hasSuffix("ed") && last.count > 4
    }

    /// Returns the kind that functions demand; nil where the values of the type are what they take. Text comes before
    /// numbers: a column of text that is read as seconds was mostly a column of numbers when it was.
    private static func demanded(
        _ demands: [Demand], _ words: [String], _ type: String, _ column: Column, _ affinity: Affinity
    ) -> ColumnKind? {
        let epochs = demands.compactMap {
            if case .epoch(let isMilliseconds) = $0 { isMilliseconds } else { nil }
        }
        if affinity == .integer || affinity == .real {
            return epochs.isEmpty ? nil : .epoch(isMilliseconds: epochs.contains(true))
        }
        guard !demands.isEmpty, type != "blob" else { return nil }
        let forms = demands.compactMap { if case .moment(let form) = $0 { form } else { nil } }
        if let form = forms.first {
            if let kind = moment(words, type, column, affinity), kind.isMoment { return kind }
            guard forms.allSatisfy({ $0 == form }) else { return .timestamp }
            return form == .date ? .date : form == .time ? .time : .timestamp
        }
        if !epochs.isEmpty { return .epoch(isMilliseconds: epochs.contains(true)) }
        if demands.contains(.hex) { return .hex }
        guard affinity == .text || affinity == .blob, !type.contains("bool") else { return nil }
        if demands.contains(.number(isWhole: true)) { return .numeral(isWhole: true) }
        if demands.contains(.number(isWhole: false)) { return .numeral(isWhole: false) }
        return affinity == .blob && demands.contains(.bytes) ? .bytes : nil
    }

    private static func moment(
        _ words: [String], _ type: String, _ column: Column, _ affinity: Affinity
    ) -> ColumnKind? {
        guard let last = words.last else { return nil }
        let isNamed =
            words.count > 1 && ["at", "on", "date", "time", "timestamp", "ts", "datetime"].contains(last)
            || [
                "date", "datetime", "timestamp", "birthday", "birthdate", "created", "updated", "modified",
                "expires",
            ]
            .contains(last)
        let isTyped = type.contains("date") || type.contains("time")
        // A STRICT table refuses a text in any other.
        let isDefault =
            affinity == .text
            && [.currentTime, .currentDate, .currentTimestamp].contains(column.defaultValue)
        guard isNamed || isTyped || isDefault, type != "blob", !(isNamed && ["by", "id"].contains(last))
        else {
            return nil
        }
        var isText = affinity == .text
        var iso = false
        switch column.defaultValue {
        case .currentTime: return .time
        case .currentDate: return .date
        case .currentTimestamp: return .timestamp
        case .expression(let fragment)?:
            let text = fragment.description.foldedASCII
            if text.contains("%s") || text.contains("unixepoch") {
                return .epoch(isMilliseconds: text.contains("1000"))
            }
            if text.contains("datetime") || text.contains("date(") || text.contains("strftime") {
                isText = true
            }
            iso = text.contains("%dt%h") || text.contains("%ft%t")
        case .integer(let value)?:
            if affinity != .text { return .epoch(isMilliseconds: value > 100_000_000_000) }
        case .text(let text)?: iso = text.contains("T") && text.contains(":")
        default: break
        }
        let isMilliseconds = words.contains("ms") || words.contains("millis")
        if affinity == .integer && !isText { return .epoch(isMilliseconds: isMilliseconds) }
        if affinity == .real && !isText { return isNamed ? .epoch(isMilliseconds: false) : nil }
        if iso { return .isoTimestamp }
        if type.hasPrefix("time"), !type.contains("stamp") { return .time }
        if type == "date" { return .date }
        if isTyped { return .timestamp }
        switch last {
        case "on", "date", "birthday", "birthdate": return .date
        case "time"
        where words.count > 1 && ["start", "end", "open", "close"].contains(words[words.count - 2]):
            return .time
        default: return .timestamp
        }
    }

    private static func named(_ words: [String], _ column: Column) -> ColumnKind? {
        guard let last = words.last else { return nil }
        let all = Set(words)
        if !all.isDisjoint(with: ["email", "mail"]), !["id", "subject", "body"].contains(last) {
            return .email
        }
        if ["url", "uri", "href", "website", "homepage"].contains(last) { return .url }
        if ["uuid", "guid"].contains(last) { return .uuid }
        if ["phone", "telephone", "mobile", "fax"].contains(last) || last == "number" && all.contains("phone")
        {
            return .phone
        }
        if ["zip", "zipcode", "postcode", "plz"].contains(last) || all.contains("postal") { return .zip }
        if ["color", "colour"].contains(last) { return .color }
        let structured: Set<String> = [
            "json", "payload", "metadata", "meta", "settings", "config", "configuration", "data",
            "attributes",
            "properties", "props", "preferences", "options", "params", "extra", "context",
        ]
        if structured.contains(last) || last == "list" && all.contains("json") {
            return .json(shape(column, .any))
        }
        return nil
    }

    private static func shape(_ column: Column, _ shape: JSONShape) -> JSONShape {
        if case .text(let text)? = column.defaultValue, shape == .any {
            if text.hasPrefix("[") { return .array }
        }
        return shape
    }
}
