import DatabaseEngine
import Synchronization

/// How the values of a column are masked.
enum MaskStyle: Sendable, Hashable {
    /// By the form of each value.
    case form
    /// Numbers keep their order.
    case ordered
    /// By one of these, which the column's CHECK names.
    case among([SQLValue])
    /// By a whole number in the range of the column's own.
    case within(Int64, Int64)
}

/// Masks values, as the SQL function `drydock_mask(value, style)`.
final class Masker: Sendable {
    /// A number that is too large to keep its order.
    struct TooLarge: Error, CustomStringConvertible {
        var description: String {
            "a number beyond 1e15, or a whole one beyond 2^61, cannot be masked with its order kept; leave out :ordered"
        }
    }

    /// An error that says that the run was stopped in the middle of a value.
    private struct Stopped: Error {}

    static let name = "drydock_mask"

    private let isStopped: @Sendable () -> Bool
    private let cipher: MaskCipher
    private let texts: TextMask
    private let styles = Mutex<[MaskStyle]>([.form])

    /// - Parameter isStopped: Polled, also in the middle of a long value.
    init(_ key: MaskKey, isStopped: @escaping @Sendable () -> Bool = { false }) {
        self.isStopped = isStopped
        cipher = MaskCipher(key, isStopped: isStopped)
        texts = TextMask(cipher)
    }

    /// The function for a connection.
    var function: ComputedFunction {
        ComputedFunction(name: Self.name, argumentCount: 2) { [self] arguments in
            guard let value = arguments.first, case .integer(let number)? = arguments.last else {
                return .null
            }
            let style = styles.withLock { $0.indices.contains(Int(number)) ? $0[Int(number)] : .form }
            return try mask(value, style)
        }
    }

    /// Returns the number of a style, for the function's second argument.
    func number(of style: MaskStyle) -> Int {
        styles.withLock { styles in
            if let known = styles.firstIndex(of: style) { return known }
            styles.append(style)
            return styles.count - 1
        }
    }

    /// Returns the mask of a value. Text is UTF-8.
    func mask(_ value: SQLValue, _ style: MaskStyle = .form) throws -> SQLValue {
        let masked = try wholeMask(of: value, style)
        if isStopped() { throw Stopped() }
        return masked
    }

    private func wholeMask(of value: SQLValue, _ style: MaskStyle) throws -> SQLValue {
        switch (style, value) {
        case (.among(let values), _):
            guard let place = values.firstIndex(of: value) else { return byForm(value) }
            return values[Int(cipher.permuted(UInt64(place), below: UInt64(values.count), "among"))]
        case (.within(let low, let high), .integer(let number)) where low <= number && number <= high:
            let place = UInt64(bitPattern: number &- low)
            let size = UInt64(bitPattern: high &- low)
            guard size < .max else { return byForm(value) }
            return .integer(low &+ Int64(bitPattern: cipher.permuted(place, below: size + 1, "within")))
        case (.ordered, .integer(let number)):
            guard let masked = texts.numbers.ordered(number) else { throw TooLarge() }
            return .integer(masked)
        case (.ordered, .real(let number)):
            guard let masked = texts.numbers.ordered(number) else { throw TooLarge() }
            return .real(masked)
        default: return byForm(value)
        }
    }

    private func byForm(_ value: SQLValue) -> SQLValue {
        switch value {
        case .null: .null
        case .integer(let number): .integer(texts.numbers.mask(number))
        case .real(let number): .real(texts.numbers.mask(number))
        case .text(let bytes): .text(texts.mask(bytes))
        case .blob(let bytes): .blob(cipher.permuted(bytes))
        }
    }
}
