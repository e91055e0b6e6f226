import DatabaseEngine
import DrydockProbes
import DrydockReplay
import DrydockVerify
import SQLiteSchema

/// Replaces the values of rows by ones that say nothing, each wherever it stands, so that rows that share one still do.
struct SharedValues {
    private(set) var rows: [GeneratedRow]
    let encoding: TextEncoding
    let shows: ([GeneratedRow]) async throws -> Bool

    init(
        _ rows: [GeneratedRow], _ encoding: TextEncoding,
        shows: @escaping ([GeneratedRow]) async throws -> Bool
    ) {
        (self.rows, self.encoding, self.shows) = (rows, encoding, shows)
    }

    mutating func replace() async throws {
        var seen: Set<SQLValue> = []
        for value in rows.flatMap(\.values) where value.mayTell && seen.insert(value).inserted {
            for other in substitutes(of: value, seen.count) {
                let replaced = rows.map { row in
                    var row = row
                    row.values = row.values.map { $0 == value ? other : $0 }
                    return row
                }
                guard try await shows(replaced) else { continue }
                rows = replaced
                break
            }
        }
    }

    /// Returns the columns that have values of the original rows, each as "table.column".
    static func kept(of original: Set<SQLValue>, in rows: [GeneratedRow]) -> [String] {
        var names: Set<String> = []
        for row in rows {
            for (column, value) in zip(row.columns, row.values)
            where value.mayTell && original.contains(value) {
                names.insert("\(row.table).\(column)")
            }
        }
        return names.sorted()
    }

    private func substitutes(of value: SQLValue, _ number: Int) -> [SQLValue] {
        switch value {
        case .null: []
        case .integer: [.integer(Int64(number))]
        case .real: [.real(Double(number) + 0.5)]
        case .blob(let bytes):
            [.blob([UInt8(number % 256)]), .blob([UInt8](repeating: 0, count: bytes.count))]
        case .text(let bytes):
            [.text(encoding.encode("v\(number)"))]
                + (encoding.exactText(bytes).map { [.text(encoding.encode(Self.shape(of: $0, number)))] }
                    ?? [])
        }
    }

    /// Returns text of the same form: each letter and digit becomes another, and the rest stays.
    private static func shape(of text: String, _ number: Int) -> String {
        var step = number
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    step += 7
                    return switch scalar {
                    case "a"..."z": Unicode.Scalar(UInt8(ascii: "a") + UInt8(step % 26))
                    case "A"..."Z": Unicode.Scalar(UInt8(ascii: "A") + UInt8(step % 26))
                    case "0"..."9": Unicode.Scalar(UInt8(ascii: "1") + UInt8(step % 9))
                    case _ where scalar.isASCII: scalar
                    default: scalar.properties.isAlphabetic ? "é" : "·"
                    }
                }))
    }
}

extension SQLValue {
    /// Whether it may say something about a person: it is not NULL, a short text or a small number.
    var mayTell: Bool {
        switch self {
        case .null: false
        case .integer(let value): value < -1 || value > 999
        case .real: true
        case .text(let bytes), .blob(let bytes): bytes.count > 3
        }
    }
}
