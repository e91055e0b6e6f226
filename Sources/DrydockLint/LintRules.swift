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
}
