import Foundation
import Testing

/// The dependency direction of ARCHITECTURE.md, held against Package.swift and every import.
@Suite struct DependencyTests {
    /// What each target may import of this package and of others. An arrow points down only.
    static let allowed: [String: Set<String>] = [
        "DrydockTool": ["DrydockCommands"],
        "DrydockCommands": [
            "DrydockReport", "GRDBEngine", "NIOEngine", "Drydock", "DatabaseEngine", "SQLiteSchema",
            "ArgumentParser", "Yams",
        ],
        "DrydockTesting": [
            "DrydockReport", "GRDBEngine", "Drydock", "DatabaseEngine", "SQLiteSchema", "CSQLite", "GRDB",
            "Testing", "XCTest",
        ],
        "DrydockReport": ["Drydock", "DatabaseEngine", "SQLiteSchema"],
        "GRDBEngine": ["DatabaseEngine", "CSQLite", "GRDB"],
        "NIOEngine": ["DatabaseEngine", "CSQLite", "NIOPosix"],
        "Drydock": ["DatabaseEngine", "OverlayVFS", "SQLiteFile", "SQLiteSchema", "Crypto"],
        "DatabaseEngine": ["CSQLite"],
        "OverlayVFS": ["CSQLite", "HashTreeCollections"],
        "SQLiteFile": [],
        "SQLiteSchema": [],
        "Benchmark": ["SQLiteSchema", "ArgumentParser"],
        "SampleMaker": ["GRDBEngine", "DatabaseEngine"],
    ]

    /// What a toolchain brings along.
    static let system: Set<String> = ["Foundation", "Dispatch", "Synchronization", "Glibc", "Darwin"]

    /// The core compares values column by column, which is not worth a protocol's detour.
    static let exceptions: [String: Set<String>] = [
        "Sources/Drydock/Conservation/RowOrder.swift": ["CSQLite"]
    ]

    @Test func everyTargetHasItsRow() throws {
        let folders = try Repository.folders(in: "Sources").filter { $0 != "CSQLite" }
        #expect(Set(folders) == Set(Self.allowed.keys))
    }

    @Test func importsPointDown() throws {
        let files = try Repository.swiftFiles(in: "Sources")
        #expect(files.count > 100)
        for file in files {
            let target = String(file.path.split(separator: "/")[1])
            let allowed = Self.allowed[target, default: []].union(Self.system)
                .union(Self.exceptions[file.path, default: []])
            for module in file.imports {
                #expect(allowed.contains(module), "\(file.path) imports \(module)")
            }
        }
    }

    @Test func packageDeclaresNoMoreThanThat() throws {
        let manifest = try Repository.text("Package.swift")
        let names = [
            "engine": "DatabaseEngine", "grdb": "GRDB", "arguments": "ArgumentParser", "yams": "Yams",
            "hashTrees": "HashTreeCollections", "nio": "NIOPosix", "crypto": "Crypto",
        ]
        for (target, allowed) in Self.allowed {
            let declared = try Repository.dependencies(of: target, in: manifest).map { names[$0] ?? $0 }
            #expect(Set(declared).isSubset(of: allowed), "\(target) declares \(declared.sorted())")
        }
    }

    @Test func pureTargetsUseNoFoundation() throws {
        for file in try Repository.swiftFiles(in: "Sources/SQLiteSchema") {
            #expect(file.imports.isEmpty, "\(file.path) imports \(file.imports)")
        }
    }

    @Test func fileReaderCallsNoSQLite() throws {
        for file in try Repository.swiftFiles(in: "Sources/SQLiteFile") {
            #expect(file.imports.isSubset(of: ["Glibc", "Darwin"]), "\(file.path) imports \(file.imports)")
        }
    }

    @Test func onlyCommandsPrint() throws {
        for file in try Repository.swiftFiles(in: "Sources") {
            guard
                !["Benchmark", "DrydockCommands", "DrydockTesting", "SampleMaker"].contains(
                    String(file.path.split(separator: "/")[1]))
            else { continue }
            #expect(
                file.text.firstMatch(of: /\bprint\(|FileHandle\.standard|fputs\(/) == nil,
                "\(file.path) prints")
        }
    }
}
