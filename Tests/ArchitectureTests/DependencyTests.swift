import Foundation
import Testing

/// The arrows of ARCHITECTURE.md. Package.swift declares them, and a cycle does not build. The compiler lets through
/// an import of a module that a target gets only through another target.
@Suite struct DependencyTests {
    /// The modules that come with a toolchain.
    static let system: Set<String> = [
        "Foundation", "Dispatch", "Synchronization", "Glibc", "Darwin", "Testing", "XCTest",
    ]

    /// The only targets that may use a package of others.
    static let users: [String: Set<String>] = [
        "GRDB": ["GRDBEngine", "DrydockTesting"],
        "NIOPosix": ["NIOEngine"],
        "ArgumentParser": ["DrydockCommands", "Benchmark"],
        "Yams": ["DrydockCommands"],
    ]

    /// The core compares values column by column; a protocol in between would cost too much.
    static let sqliteCaller = "Sources/DrydockConservation/Conservation/RowOrder.swift"

    @Test func everyImportIsDeclared() throws {
        let manifest = try Manifest()
        let files = try Repository.swiftFiles(in: "Sources")
        #expect(files.count > 100)
        for file in files {
            let declared = try #require(
                manifest.dependencies[file.target], "\(file.target) is not in Package.swift")
            for module in try file.imports.subtracting(Self.system) {
                #expect(declared.contains(module), "\(file.path) imports \(module)")
            }
        }
    }

    @Test func everyDependencyIsImported() throws {
        let files = try Repository.swiftFiles(in: "Sources") + Repository.swiftFiles(in: "Tests")
        let imports = try Dictionary(grouping: files, by: \.target)
            .mapValues { try $0.reduce(into: Set()) { $0.formUnion(try $1.imports) } }
        for (target, declared) in try Manifest().dependencies {
            let unused = declared.subtracting(imports[target, default: []])
            #expect(unused.isEmpty, "\(target) declares \(unused.sorted()) and imports none of it")
        }
    }

    @Test func packagesOfOthersAreUsedOnlyByTheirTargets() throws {
        let dependencies = try Manifest().dependencies
        for (module, users) in Self.users {
            #expect(Set(dependencies.filter { $0.value.contains(module) }.keys) == users, "\(module)")
        }
    }

    @Test func theCoreCallsSQLiteThroughEngines() throws {
        for file in try Repository.swiftFiles(in: "Sources") where try file.imports.contains("CSQLite") {
            let isBelow = ["DatabaseEngine", "OverlayVFS", "GRDBEngine", "NIOEngine", "DrydockTesting"]
                .contains(file.target)
            #expect(isBelow || file.path == Self.sqliteCaller, "\(file.path)")
        }
    }

    @Test func pureTargetsUseNoFoundation() throws {
        for file in try Repository.swiftFiles(in: "Sources/SQLiteSchema") {
            let imports = try file.imports
            #expect(imports.isEmpty, "\(file.path) imports \(imports)")
        }
    }

    @Test func fileReaderCallsNoSQLite() throws {
        for file in try Repository.swiftFiles(in: "Sources/SQLiteFile") {
            let others = try file.imports.subtracting(["Glibc", "Darwin", "SQLiteSchema", "Synchronization"])
            #expect(others.isEmpty, "\(file.path) imports \(others)")
        }
    }

    @Test func onlyCommandsPrint() throws {
        let printing = ["Benchmark", "DrydockCommands", "DrydockTesting", "SampleMaker"]
        for file in try Repository.swiftFiles(in: "Sources") where !printing.contains(file.target) {
            let calls = try file.codeLines(with: #"\bprint\(|FileHandle\.standard|fputs\("#)
            #expect(calls.isEmpty, "\(file.path) prints")
        }
    }
}
