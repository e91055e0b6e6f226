import ArgumentParser
import DatabaseEngine
import Drydock
import DrydockReport
import SQLiteSchema

/// A duration as people write it: `90`, `90s`, `5m`, `1h`, `500ms`.
struct TimeLimit: ExpressibleByArgument, Equatable {
    var duration: Duration

    init?(argument: String) {
        let (suffix, unit) = Duration.units.first { argument.hasSuffix($0.0) } ?? ("", .seconds(1))
        let factor = unit / .seconds(1)
        guard let value = Double(argument.dropLast(suffix.count)), value > 0, value.isFinite,
            value * factor < 1e9
        else {
            return nil
        }
        duration = .milliseconds(Int64((value * factor * 1000).rounded(.up)))
    }
}

extension Duration {
    /// Milliseconds are before seconds, with which their name ends.
    fileprivate static let units: [(name: String, length: Duration)] = [
        ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600)),
    ]

    /// The duration as people write it, in the largest unit of which it is a multiple.
    var written: String {
        let unit = Self.units.last { self / $0.length == (self / $0.length).rounded() } ?? Self.units[0]
        return "\(Int(self / unit.length))\(unit.name)"
    }
}

private let byteUnits = [("KB", 10), ("MB", 20), ("GB", 30)]

/// Returns a number of bytes as people write it, in the largest unit of which it is a multiple; nil for no limit.
func byteText(_ count: Int?) -> String {
    guard let count else { return "none" }
    let (name, power) = byteUnits.last { count % (1 << $0.1) == 0 } ?? byteUnits[0]
    return "\(count >> power)\(name)"
}

/// Returns the bytes of a size such as `512MB`; nil for any other text.
func byteCount(_ argument: String) -> Int? {
    let word = argument.lowercased().replacing("ib", with: "b")
    guard let (suffix, power) = byteUnits.first(where: { word.hasSuffix($0.0.lowercased()) }),
        let value = Double(word.dropLast(suffix.count)), value.isFinite
    else { return nil }
    let size = value * Double(1 << power)
    return size >= 0 && size < 1e18 ? Int(size) : nil
}

/// The option `NAME`, `NAME=VALUE` or `NAME=$0`.
struct FunctionOption: ExpressibleByArgument {
    var stub: FunctionStub

    init?(argument: String) {
        let (name, value) = argument.splitOnce("=") ?? (argument, "null")
        let result: FunctionStub.Result
        if value.hasPrefix("$"), let index = Int(value.dropFirst()), index >= 0 {
            result = .argument(index)
        } else {
            result = .constant(SQLValue(literal: value))
        }
        stub = FunctionStub(name: name, argumentCount: nil, result: result)
        if stub.fault != nil { return nil }
    }
}

/// The option `NAME` or `NAME=ORDER`.
struct CollationOption: ExpressibleByArgument {
    var stub: CollationStub

    init?(argument: String) {
        let (name, word) = argument.splitOnce("=") ?? (argument, "binary")
        guard !name.isEmpty, let order = CollationStub.Order(rawValue: word.lowercased()) else { return nil }
        stub = CollationStub(name: name, order: order)
    }
}

/// The option `MIGRATION:DECLARATION`.
struct DeclareOption: ExpressibleByArgument {
    var migration: String
    var text: String

    init?(argument: String) {
        guard let (migration, text) = argument.splitOnce(":"), !migration.isEmpty else { return nil }
        self.migration = migration
        self.text = text
    }
}

/// The option `NAME=VALUE`.
struct PlaceholderOption: ExpressibleByArgument {
    var name: String
    var value: String

    init?(argument: String) {
        guard let (name, value) = argument.splitOnce("="), !name.isEmpty else { return nil }
        self.name = name
        self.value = value
    }
}

/// The option `RULE=SEVERITY` of lint.
struct RuleOption {
    var rule: Rule
    var severity: LintSeverity

    init(_ argument: String) throws(RequestError) {
        let (name, word) = argument.splitOnce("=") ?? (argument, "")
        let names = Rule.ofLint.map(\.rawValue)
        guard let rule = Rule(named: name), Rule.ofLint.contains(rule) else {
            throw RequestError(
                .settingInvalid,
                "'\(name)' is not a rule of drydock lint"
                    + (nearestName(to: name, in: names).map { "; did you mean '\($0)'?" }
                        ?? "; --list-rules shows them"))
        }
        guard let severity = LintSeverity(rawValue: word) else {
            throw RequestError(.settingInvalid, "write RULE=SEVERITY, with off, note, warning or error")
        }
        self.rule = rule
        self.severity = severity
    }
}

extension ToolPolicy.Transaction: ExpressibleByArgument {}

extension SQLValue {
    /// Creates a plain value as people write it in a configuration: null, a number, or text.
    init(literal: String) {
        if literal.lowercased() == "null" {
            self = .null
        } else if let integer = Int64(literal) {
            self = .integer(integer)
        } else if let real = Double(literal), real.isFinite {
            self = .real(real)
        } else {
            self = SQLValue(literal)
        }
    }
}

extension String {
    func splitOnce(_ separator: Character) -> (String, String)? {
        guard let index = firstIndex(of: separator) else { return nil }
        return (String(self[..<index]), String(self[self.index(after: index)...]))
    }
}
