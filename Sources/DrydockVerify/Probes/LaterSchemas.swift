import DrydockReplay
import DrydockState
import SQLiteSchema

/// The schemas of the versions, as a fresh install has them.
struct LaterSchemas: Sendable {
    private let schemas: [(count: Int, schema: Schema)]

    init(_ fresh: FreshInstall, upTo count: Int) {
        var reader = SchemaReader()
        schemas = fresh.catalogs.keys.sorted().filter { $0 <= count }.map {
            ($0, fresh.catalogs[$0].map { reader.schema(of: $0) } ?? Schema())
        }
    }

    /// Returns the schemas after more than a number of migrations, the nearest first.
    func after(_ count: Int) -> [Schema] { schemas.filter { $0.count > count }.map(\.schema) }
}
