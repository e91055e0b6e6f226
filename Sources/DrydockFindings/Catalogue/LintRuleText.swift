/// The documentation of a rule; `docs/rules.md` is generated from it.
package struct LintRuleText: Sendable {
    /// What is true if the rule is broken, in one line.
    package var summary: String
    /// What happens to users' databases, and what to do.
    package var detail: String
    /// SQL that breaks the rule, and the same SQL corrected; nil if an example would say nothing.
    package var bad: String?
    package var good: String?

    package init(summary: String, detail: String, bad: String? = nil, good: String? = nil) {
        self.summary = summary
        self.detail = detail
        self.bad = bad
        self.good = good
    }
}

extension Rule {
    /// The documentation of a rule of `drydock lint`; nil for the other rules.
    package var lintText: LintRuleText? {
        switch self {
        case .addColumnFails: .addColumnFails
        case .expressionFails: .expressionFails
        case .uniqueOverExisting: .uniqueOverExisting
        case .expressionIndexFails: .expressionIndexFails
        case .destructiveUndeclared: .destructiveUndeclared
        case .positionalCopy: .positionalCopy
        case .copiedConstant: .copiedConstant
        case .rebuildStricter: .rebuildStricter
        case .rebuildForgets: .rebuildForgets
        case .constraintLost: .constraintLost
        case .rebuildRenamesFirst: .rebuildRenamesFirst
        case .dropParentCascades: .dropParentCascades
        case .refusedInTransaction: .refusedInTransaction
        case .notRestartable: .notRestartable
        case .doubleQuotedString: .doubleQuotedString
        case .writableSchema: .writableSchema
        case .foreignKeyWithoutIndex: .foreignKeyWithoutIndex
        case .foreignKeyParent: .foreignKeyParent
        case .duplicateIndex: .duplicateIndex
        case .redundantIndex: .redundantIndex
        case .viewBroken: .viewBroken
        case .searchIndexStale: .searchIndexStale
        case .defaultIsIdentifier: .defaultIsIdentifier
        case .defaultOfAnotherType: .defaultOfAnotherType
        case .missingStrict: .missingStrict
        case .missingDown: .missingDown
        case .minimumSQLite: .minimumSQLite
        default: nil
        }
    }

    /// The rules that drydock.yml, `--rule` and `ignore` may name, in the order of the documentation.
    public static let ofLint: [Rule] = [
        .addColumnFails, .expressionFails, .uniqueOverExisting, .expressionIndexFails, .destructiveUndeclared,
        .positionalCopy, .copiedConstant, .rebuildStricter, .rebuildForgets, .constraintLost,
        .rebuildRenamesFirst, .dropParentCascades, .refusedInTransaction, .notRestartable,
        .doubleQuotedString, .writableSchema,
        .foreignKeyWithoutIndex, .foreignKeyParent,
        .duplicateIndex, .redundantIndex, .viewBroken, .searchIndexStale, .defaultIsIdentifier,
        .defaultOfAnotherType, .missingStrict,
        .missingDown, .minimumSQLite,
        .transactionEnded, .pragmaIgnored, .migrationInCode,
    ]
}
