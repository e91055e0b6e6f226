/// An SQL function that this program computes, for its own statements.
package struct ComputedFunction: Sendable {
    /// Gets the arguments, and returns the result. Text is UTF-8, whatever the database's encoding. An error becomes that
    /// of the statement.
    package typealias Body = @Sendable (_ arguments: [SQLValue]) throws -> SQLValue

    package var name: String
    package var argumentCount: Int
    /// Must return the same for the same arguments.
    package var body: Body

    package init(name: String, argumentCount: Int, body: @escaping Body) {
        (self.name, self.argumentCount, self.body) = (name, argumentCount, body)
    }
}
