import CSQLite
import Foundation
import Testing

@testable import DatabaseEngine

/// A hold keeps a live file as a reader sees it, until it is released or its time is over.
@Suite struct FileHoldTests {
    @Test(arguments: Place.rollbackFiles) func `nobody commits meanwhile`(_ place: Place) async throws {
        let site = try Site(place)
        let writer = try Bystander(site.path)
        let hold = try FileHold(path: site.path)
        for name in ["a", "b"] {
            try await hold.take(for: .seconds(600), patience: .zero)
            #expect(hold.isHeld)
            #expect(throws: (any Error).self) { try writer.execute("CREATE TABLE \(name)(x)") }
            #expect(hold.release() && !hold.isHeld && !hold.release())
            try writer.execute("CREATE TABLE \(name)(x)")
        }
        hold.close()
        await #expect(throws: EngineError.self) { try await hold.take(for: .seconds(600), patience: .zero) }
    }

    @Test(arguments: Place.rollbackFiles) func `it ends by itself`(_ place: Place) async throws {
        let site = try Site(place)
        let hold = try FileHold(path: site.path)
        try await hold.take(for: .milliseconds(1), patience: .zero)
        while hold.isHeld { try await Task.sleep(for: .milliseconds(1)) }
        #expect(!hold.release())
        try Bystander(site.path).execute("CREATE TABLE a(x)")
    }

    @Test(arguments: Place.rollbackFiles) func `a writer is in the way`(_ place: Place) async throws {
        let site = try Site(place)
        let writer = try Bystander(site.path)
        try writer.execute("BEGIN EXCLUSIVE")
        let hold = try FileHold(path: site.path)
        await #expect(throws: EngineError.self) {
            try await hold.take(for: .seconds(600), patience: .milliseconds(10))
        }
        #expect(!hold.isHeld)
        try writer.execute("ROLLBACK")
        try await hold.take(for: .seconds(600), patience: .zero)
    }

    @Test(arguments: Place.walFiles) func `with a log others go on`(_ place: Place) async throws {
        let site = try Site(place)
        let writer = try Bystander(site.path)
        try writer.execute("CREATE TABLE a(x)")
        let hold = try FileHold(path: site.path)
        try await hold.take(for: .seconds(600), patience: .zero)
        try writer.execute("CREATE TABLE b(x)")
        #expect(hold.release())
    }

    /// One timer ends them all.
    @Test(arguments: Place.rollbackFiles) func `each ends when its own time is over`(_ place: Place)
        async throws
    {
        let site = try Site(place)
        let (long, short, again) = try (
            FileHold(path: site.path), FileHold(path: site.path), FileHold(path: site.path)
        )
        try await long.take(for: .seconds(86_400), patience: .zero)
        try await again.take(for: .milliseconds(1), patience: .zero)
        _ = again.release()
        // The limit of its first transaction is not one of its second.
        try await again.take(for: .seconds(86_400), patience: .zero)
        for _ in 0..<3 {
            try await short.take(for: .milliseconds(5), patience: .zero)
            while short.isHeld { try await Task.sleep(for: .milliseconds(1)) }
        }
        #expect(long.release() && again.release() && !short.release())
    }

    /// SQLite asks whether a hold lasts inside its allocator, under a lock of the VFS, for which the end of the hold may be
    /// waiting.
    @Test(arguments: Place.rollbackFiles) func `it answers while its end waits for the VFS`(_ place: Place)
        async throws
    {
        let site = try Site(place)
        let hold = try FileHold(path: site.path)
        try await hold.take(for: .seconds(600), patience: .zero)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                let files = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_VFS1)
                sqlite3_mutex_enter(files)
                Thread.detachNewThread {
                    hold.close()
                    done.resume()
                }
                while hold.isHeld { Thread.sleep(forTimeInterval: 0.001) }
                sqlite3_mutex_leave(files)
            }
        }
        #expect(!hold.isHeld)
    }

    @Test func `what is not there cannot be held`() {
        #expect(throws: EngineError.self) { try FileHold(path: "/nowhere/a.sqlite") }
    }
}
