import CSQLite

extension FunctionStub {
    /// Registers the stand-in as deterministic, so that an index can use it.
    /// - Throws: ``EngineError`` if SQLite does not accept it, with the text of ``fault``.
    package func install(on connection: OpaquePointer) throws {
        if let fault { throw EngineError(extendedCode: SQLITE_MISUSE, message: fault) }
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let code = sqlite3_create_function_v2(
            connection, name, Int32(argumentCount ?? -1), flags, Box(result).retained,
            { context, count, arguments in
                switch Box<Result>.value(sqlite3_user_data(context)) {
                case .constant(let value)?: value.give(to: context)
                case .argument(let index)?:
                    guard index < count, let argument = arguments?[index] else { return }
                    sqlite3_result_value(context, argument)
                case nil: return
                }
            }, nil, nil, { Box<Result>.release($0) })
        guard code == SQLITE_OK else { throw EngineError(extendedCode: code, on: connection) }
    }
}

extension CollationStub {
    /// Registers the stand-in.
    /// - Throws: ``EngineError`` if SQLite does not accept it.
    package func install(on connection: OpaquePointer) throws {
        let code = sqlite3_create_collation_v2(
            connection, name, SQLITE_UTF8, Box(order).retained,
            { order, countOfA, a, countOfB, b in
                let order = Box<Order>.value(order) ?? .binary
                let (x, y) = (order.key(a, countOfA), order.key(b, countOfB))
                return x == y ? 0 : x.lexicographicallyPrecedes(y) ? -1 : 1
            }, { Box<Order>.release($0) })
        guard code == SQLITE_OK else { throw EngineError(extendedCode: code, on: connection) }
    }
}

extension CollationStub.Order {
    /// Returns the bytes that `memcmp` would compare (https://www.sqlite.org/datatype3.html#collation).
    fileprivate func key(_ text: UnsafeRawPointer?, _ count: Int32) -> [UInt8] {
        let bytes = UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : Int(count))
        return switch self {
        case .binary: Array(bytes)
        case .nocase: bytes.map { (65...90).contains($0) ? $0 + 32 : $0 }
        case .rtrim: Array(bytes.reversed().drop { $0 == 32 }.reversed())
        }
    }
}

extension ComputedFunction {
    /// Registers the function as deterministic.
    /// - Throws: ``EngineError`` if SQLite does not accept it.
    package func install(on connection: OpaquePointer) throws {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let code = sqlite3_create_function_v2(
            connection, name, Int32(argumentCount), flags, Box(body).retained,
            { context, count, arguments in
                guard let body = Box<Body>.value(sqlite3_user_data(context)) else { return }
                let values = (0..<Int(count)).map { SQLValue(argument: arguments?[$0]) }
                do {
                    try body(values).give(to: context)
                } catch {
                    sqlite3_result_error(context, "\(error)", -1)
                }
            }, nil, nil, { Box<Body>.release($0) })
        guard code == SQLITE_OK else { throw EngineError(extendedCode: code, on: connection) }
    }
}

extension SQLValue {
    /// Takes the argument of a function; text as UTF-8.
    fileprivate init(argument: OpaquePointer?) {
        func bytes(_ start: UnsafeRawPointer?) -> [UInt8] {
            let count = Int(sqlite3_value_bytes(argument))
            return Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
        }
        switch argument.map({ sqlite3_value_type($0) }) {
        case SQLITE_INTEGER?: self = .integer(sqlite3_value_int64(argument))
        case SQLITE_FLOAT?: self = .real(sqlite3_value_double(argument))
        case SQLITE_TEXT?: self = .text(bytes(sqlite3_value_text(argument)))
        case SQLITE_BLOB?: self = .blob(bytes(sqlite3_value_blob(argument)))
        default: self = .null
        }
    }

    /// Sets a copy of the value as a function's result.
    fileprivate func give(to context: OpaquePointer?) {
        let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch self {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(let bytes):
            bytes.withUnsafeBytes { buffer in
                let start = buffer.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
                sqlite3_result_text64(
                    context, start?.assumingMemoryBound(to: CChar.self), sqlite3_uint64(buffer.count), copy,
                    UInt8(SQLITE_UTF8))
            }
        case .blob(let bytes):
            bytes.withUnsafeBytes { buffer in
                buffer.isEmpty
                    ? sqlite3_result_zeroblob(context, 0)
                    : sqlite3_result_blob64(
                        context, buffer.baseAddress, sqlite3_uint64(buffer.count), copy)
            }
        }
    }
}

/// A value that SQLite keeps for a callback until it calls ``release(_:)``.
private final class Box<Value> {
    let value: Value

    init(_ value: Value) { self.value = value }

    var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    static func value(_ pointer: UnsafeMutableRawPointer?) -> Value? {
        pointer.map { Unmanaged<Box>.fromOpaque($0).takeUnretainedValue().value }
    }

    static func release(_ pointer: UnsafeMutableRawPointer?) {
        if let pointer { Unmanaged<Box>.fromOpaque(pointer).release() }
    }
}
