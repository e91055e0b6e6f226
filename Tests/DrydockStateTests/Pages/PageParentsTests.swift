import DatabaseEngine
import GRDBEngine
import OverlayVFS
import TestTools
import SQLiteFile
import Testing

@testable import DrydockState
@testable import DrydockTestSupport

/// The map that is updated from state to state equals the one made by reading every tree.
@Suite struct PageParentsTests {
    @Test func `the updated map equals the map of the file`() async throws {
        for seed in seeds(20, of: 60, soak: 3_000) {
            let migration = RandomMigration(seed: UInt64(seed))
            let overlay = try Overlay(emptyNamed: "parents.sqlite")
            let database = try await GRDBDriver().open(.uri(overlay.uri), settings: ConnectionSettings())
            func run(_ sql: String) async throws {
                try await database.withConnection { try? $0.execute(sql) }
            }
            for pragma in migration.pragmas { try await run(pragma) }
            try await run(migration.schema)
            try await run(migration.rows)
            var pages = try StatePages(overlay.freeze().image)
            let statements = migration.steps + ["PRAGMA incremental_vacuum(3)", "VACUUM", "DROP TABLE u"]
            for sql in statements {
                try await run(sql)
                let (image, footprint) = overlay.freeze()
                (pages, _) = try pages.next(image, footprint)
                #expect(try pages.parents == StatePages(image).parents, "seed \(seed): \(sql)")
            }
            try await database.close()
        }
    }
}
