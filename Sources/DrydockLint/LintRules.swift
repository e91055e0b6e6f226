/// The rules of `drydock lint`, each in a separate file. This is the only place where they are registered.
enum LintRules {
    /// The rules in the order of the documentation.
    static let all: [any LintRule] = [
        AddColumnRule(), ExpressionFailsRule(), UniqueRule(), ExpressionIndexRule(), DestructiveRule(),
        PositionalCopyRule(), CopiedConstantRule(), RebuildStricterRule(), RebuildForgetsRule(),
        ConstraintKeptRule(), RebuildRenamesFirstRule(), DropParentRule(),
        TransactionRule(), RestartRule(),
        DoubleQuotedStringRule(), WritableSchemaRule(), ForeignKeyIndexRule(), ForeignKeyParentRule(),
        DuplicateIndexRule(), RedundantIndexRule(), ViewCompilesRule(), StaleIndexRule(),
        DefaultIdentifierRule(),
        DefaultTypeRule(),
        MissingStrictRule(), MissingDownRule(), MinimumSQLiteRule(),
    ]
}
