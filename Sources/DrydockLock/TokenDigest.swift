import Crypto
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import SQLiteSchema

/// The SHA-256 digest of what runs: of the tokens as SQLite reads them.
///
/// Changes of white space, line endings and comments, including declarations, do not change it. Everything else does,
/// even a line ending inside a string, since that is data.
package enum TokenDigest {
    /// Returns the digest of a migration: its statements, its way back if the same file has one, and its transaction
    /// setting. 64 hexadecimal digits.
    package static func of(_ migration: Migration) -> String {
        var digest = SHA256()
        add(migration.statements, to: &digest)
        if let down = migration.down, migration.hasWayBackInside {
            add("down", to: &digest)
            add(down.statements, to: &digest)
        }
        if let transaction = migration.ownTransaction {
            add("transaction \(transaction.rawValue)", to: &digest)
        }
        return digest.finalize().hex
    }

    /// Returns the digest of what the tool reads besides the statements: 16 hexadecimal digits, or `none`.
    package static func marks(_ migration: Migration) -> String {
        guard !migration.marks.isEmpty else { return noMarks }
        let text = migration.marks.joined(separator: "\n")
        return String(SHA256.digest(of: Array(text.utf8)).hex.prefix(markDigits))
    }

    static let noMarks = "none"
    static let markDigits = 16

    package static func of(_ statements: [SQLStatement]) -> String {
        var digest = SHA256()
        add(statements, to: &digest)
        return digest.finalize().hex
    }

    // No token is empty, so an empty one separates statements and marks from tokens.
    private static func add(_ statements: [SQLStatement], to digest: inout SHA256) {
        for statement in statements {
            add("", to: &digest)
            statement.source.bytes.withUnsafeBytes { bytes in
                for token in statement.tokens {
                    digest.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[token.range]))
                    digest.update(data: [0])
                }
            }
        }
    }

    private static func add(_ mark: String, to digest: inout SHA256) {
        digest.update(data: [0] + Array(mark.utf8) + [0])
    }
}
