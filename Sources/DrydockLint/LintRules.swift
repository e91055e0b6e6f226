/// The rules of `drydock lint`, each in a separate file, with its words. They are registered here; their identifiers are in
/// ``Rule``, which the compiler asks for.
package enum LintRules {
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

    /// The documentation of each rule.
    package static let texts = Dictionary(uniqueKeysWithValues: all.map { ($0.rule, $0.text) })

    /// How each rule counts until a project sets it, in the order of the documentation.
    package static let severities = all.map { (rule: $0.rule, severity: $0.severity) }
}
