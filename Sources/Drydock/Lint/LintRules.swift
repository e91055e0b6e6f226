/// The rules of `drydock lint`, each in a file of its own. This is the one place where a rule is registered.
enum LintRules {
    /// In the order of the documentation.
    static let all: [any LintRule] = [
        AddColumnRule(), ExpressionFailsRule(), UniqueRule(), ExpressionIndexRule(), DestructiveRule(),
        PositionalCopyRule(), RebuildStricterRule(), RebuildForgetsRule(), RebuildRenamesFirstRule(),
        DropParentRule(),
        TransactionRule(),
        DoubleQuotedStringRule(), WritableSchemaRule(), ForeignKeyIndexRule(), ForeignKeyParentRule(),
        DuplicateIndexRule(), RedundantIndexRule(), ViewCompilesRule(), DefaultIdentifierRule(),
        MissingStrictRule(), MissingDownRule(), MinimumSQLiteRule(),
    ]

    static func named(_ rule: Rule) -> (any LintRule)? { all.first { $0.rule == rule } }

    /// Rules that `drydock verify` has as well, and that need no row.
    static let shared: [Rule] = [.transactionEnded, .pragmaIgnored, .migrationInCode]
}

extension Rule {
    /// The rules that drydock.yml, `--rule` and `ignore` may name.
    public static var ofLint: [Rule] { LintRules.all.map(\.rule) + LintRules.shared }
}
