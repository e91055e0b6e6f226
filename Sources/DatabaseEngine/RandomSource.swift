import CSQLite
import Synchronization

/// A source of repeatable numbers for `random()` and `randomblob()`, so that a second run of a migration
/// gives the same result.
///
/// SQLite's own generator belongs to the process and cannot be reset for one connection. Both functions are
/// replaced, as SQLite lets an application do (https://www.sqlite.org/lang_corefunc.html#random).
public final class RandomSource: Sendable {
    private let state: Atomic<UInt64>

    public init(seed: UInt64 = 0) { state = Atomic(seed) }

    /// Starts the sequence of a seed from its beginning.
    public func reseed(_ seed: UInt64) { state.store(seed, ordering: .relaxed) }

    /// Returns the next number: SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
    func next() -> UInt64 {
        var z = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Replaces the two functions on a connection.
    /// - Throws: ``EngineError``.
    package func install(on connection: OpaquePointer) throws {
        // A trigger or a DEFAULT may use the functions, as it may use SQLite's own.
        let flags = SQLITE_UTF8 | SQLITE_INNOCUOUS
        try install("random", 0, flags, on: connection) { context, _, _ in
            guard let source = RandomSource.from(context) else { return }
            sqlite3_result_int64(context, Int64(bitPattern: source.next()))
        }
        try install("randomblob", 1, flags, on: connection) { context, _, arguments in
            guard let source = RandomSource.from(context) else { return }
            let count = max(1, sqlite3_value_int64(arguments?[0]))
            guard count <= Int64(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1))
            else { return sqlite3_result_error_toobig(context) }
            // SQLite's memory, since that has the limit.
            let size = (Int(count) + 7) & ~7
            guard let bytes = sqlite3_malloc64(sqlite3_uint64(size)) else {
                return sqlite3_result_error_nomem(context)
            }
            for offset in stride(from: 0, to: size, by: 8) {
                bytes.storeBytes(of: source.next().littleEndian, toByteOffset: offset, as: UInt64.self)
            }
            sqlite3_result_blob64(context, bytes, sqlite3_uint64(count), sqlite3_free)
        }
    }

    private func install(
        _ name: String, _ argumentCount: Int32, _ flags: Int32, on connection: OpaquePointer,
        _ function:
            @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
    ) throws {
        let code = sqlite3_create_function_v2(
            connection, name, argumentCount, flags, Unmanaged.passRetained(self).toOpaque(), function, nil,
            nil
        ) { pointer in
            if let pointer { Unmanaged<RandomSource>.fromOpaque(pointer).release() }
        }
        guard code == SQLITE_OK else { throw EngineError(extendedCode: code, on: connection) }
    }

    private static func from(_ context: OpaquePointer?) -> RandomSource? {
        sqlite3_user_data(context).map { Unmanaged<RandomSource>.fromOpaque($0).takeUnretainedValue() }
    }
}
