// swift-tools-version:6.2
import PackageDescription

// One target per box of ARCHITECTURE.md; arrows point down only.
// Tests/ArchitectureTests checks this file, and every import, against that page.

let engine: Target.Dependency = "DatabaseEngine"
let grdb = Target.Dependency.product(
    name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["GRDB"]))
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let nio = Target.Dependency.product(
    name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["NIO"]))
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

let package = Package(
    name: "Drydock",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "drydock", targets: ["DrydockTool"]),
        .library(name: "Drydock", targets: ["Drydock"]),
        .library(name: "DrydockTesting", targets: ["DrydockTesting"]),
        .library(name: "DatabaseEngine", targets: ["DatabaseEngine"]),
        .library(name: "GRDBEngine", targets: ["GRDBEngine"]),
        .library(name: "NIOEngine", targets: ["NIOEngine"]),
        .library(name: "SQLiteSchema", targets: ["SQLiteSchema"]),
        .library(name: "SQLiteFile", targets: ["SQLiteFile"]),
    ],
    // An app that uses the library with one engine fetches that one alone: traits: ["NIO"].
    traits: [
        .trait(name: "GRDB", description: "The engine on GRDB.swift, and DrydockTesting"),
        .trait(name: "NIO", description: "The asynchronous engine on SwiftNIO"),
        .default(enabledTraits: ["GRDB", "NIO"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .executableTarget(name: "DrydockTool", dependencies: ["DrydockCommands"]),
        .target(
            name: "DrydockCommands",
            dependencies: [
                "DrydockLanguageServer", "DrydockReport", "GRDBEngine", "NIOEngine", "Drydock", engine,
                "SQLiteSchema", arguments, yams,
            ]),
        .target(
            name: "DrydockTesting",
            dependencies: [
                "DrydockReport", "GRDBEngine", "Drydock", engine, "OverlayVFS", "SQLiteSchema", "CSQLite",
                grdb,
            ]),
        .target(name: "DrydockLanguageServer", dependencies: ["Drydock", engine, "SQLiteSchema"]),
        .target(name: "DrydockReport", dependencies: ["Drydock", engine, "SQLiteSchema"]),
        .target(name: "GRDBEngine", dependencies: [engine, "CSQLite", grdb]),
        .target(name: "NIOEngine", dependencies: [engine, "CSQLite", nio]),
        // The umbrella for apps, and the core below it, each target upon those that follow.
        .target(
            name: "Drydock",
            dependencies: [
                "DrydockFleet", "DrydockWatch", "DrydockProbes", "DrydockSnapshots", "DrydockMigrate",
                "DrydockShrink",
                "DrydockVerify",
                "DrydockMaintenance", "DrydockDiff", "DrydockLint", "DrydockLock", "DrydockCrash",
                "DrydockLibraries", "DrydockReplay", "DrydockConservation", "DrydockState",
                "DrydockMigrations",
                "DrydockFiles", "DrydockFindings",
            ]),
        .target(
            name: "DrydockWatch",
            dependencies: [
                "DrydockVerify", "DrydockLint", "DrydockReplay", "DrydockMigrations",
                "DrydockFiles", "DrydockFindings",
                engine,
            ]),
        .target(
            name: "DrydockFleet",
            dependencies: [
                "DrydockMigrate", "DrydockVerify", "DrydockMaintenance", "DrydockReplay", "DrydockMigrations",
                "DrydockFiles", "DrydockFindings", engine, "SQLiteSchema",
            ]),
        .target(
            name: "DrydockProbes",
            dependencies: ["DrydockReplay", "DrydockFindings", engine, "SQLiteSchema"]),
        .target(
            name: "DrydockSnapshots",
            dependencies: [
                "DrydockProbes", "DrydockMaintenance", "DrydockDiff", "DrydockLock", "DrydockReplay",
                "DrydockState", "DrydockMigrations", "DrydockFiles", "DrydockFindings", engine, "OverlayVFS",
                "SQLiteSchema", crypto,
            ]),
        .target(
            name: "DrydockMigrate",
            dependencies: [
                "DrydockVerify", "DrydockMaintenance", "DrydockReplay", "DrydockState",
                "DrydockMigrations", "DrydockFiles", "DrydockFindings",
                engine, "OverlayVFS", "SQLiteSchema",
            ]),
        .target(
            name: "DrydockShrink",
            dependencies: [
                "DrydockVerify", "DrydockProbes", "DrydockCrash", "DrydockLibraries", "DrydockReplay",
                "DrydockState",
                "DrydockMigrations", "DrydockFiles", "DrydockFindings", engine, "OverlayVFS", "SQLiteSchema",
            ]),
        .target(
            name: "DrydockVerify",
            dependencies: [
                "DrydockProbes", "DrydockCrash", "DrydockLibraries", "DrydockLock", "DrydockReplay",
                "DrydockConservation",
                "DrydockState", "DrydockMigrations", "DrydockFiles", "DrydockFindings", engine, "OverlayVFS",
                "SQLiteSchema",
            ]),
        .target(
            name: "DrydockMaintenance",
            dependencies: [
                "DrydockDiff", "DrydockReplay", "DrydockConservation", "DrydockState", "DrydockMigrations",
                "DrydockFiles",
                "DrydockFindings",
                engine, "OverlayVFS",
                "SQLiteFile", "SQLiteSchema",
            ]),
        .target(
            name: "DrydockDiff",
            dependencies: [
                "DrydockReplay", "DrydockConservation", "DrydockState", "DrydockMigrations",
                "DrydockFiles", "DrydockFindings", engine, "OverlayVFS",
                "SQLiteFile", "SQLiteSchema",
            ]),
        .target(
            name: "DrydockLint",
            dependencies: [
                "DrydockLock", "DrydockReplay", "DrydockConservation", "DrydockState", "DrydockMigrations",
                "DrydockFiles", "DrydockFindings", engine, "OverlayVFS",
                "SQLiteSchema",
            ]),
        .target(
            name: "DrydockLock",
            dependencies: [
                "DrydockReplay", "DrydockState", "DrydockMigrations", "DrydockFiles", "DrydockFindings",
                engine, "OverlayVFS",
                "SQLiteSchema", crypto,
            ]),
        .target(
            name: "DrydockCrash",
            dependencies: [
                "DrydockReplay", "DrydockState", "DrydockMigrations",
                "DrydockFindings",
                engine, "OverlayVFS", "SQLiteSchema",
            ]),
        .target(
            name: "DrydockLibraries",
            dependencies: [
                "DrydockReplay", "DrydockState", "DrydockMigrations",
                "DrydockFiles", "DrydockFindings",
                engine, "OverlayVFS", "SQLiteSchema",
            ]),
        .target(
            name: "DrydockReplay",
            dependencies: [
                "DrydockConservation", "DrydockState", "DrydockMigrations", "DrydockFiles", "DrydockFindings",
                engine,
                "OverlayVFS", "SQLiteSchema",
                "CLandlock",
            ]),
        .target(
            name: "DrydockConservation",
            dependencies: [
                "DrydockState", "DrydockMigrations", "DrydockFindings", engine, "SQLiteFile",
                "SQLiteSchema", "CSQLite",
            ]),
        .target(
            name: "DrydockState",
            dependencies: [
                "DrydockMigrations", "DrydockFiles", "DrydockFindings", engine, "OverlayVFS", "SQLiteFile",
                "SQLiteSchema",
                crypto,
            ]),
        .target(
            name: "DrydockMigrations",
            dependencies: ["DrydockFiles", "DrydockFindings", engine, "SQLiteSchema", crypto]),
        .target(
            name: "DrydockFiles",
            dependencies: [
                "DrydockFindings", engine, "OverlayVFS", "SQLiteFile", "SQLiteSchema", crypto,
            ]),
        .target(name: "DrydockFindings", dependencies: [engine, "SQLiteSchema", crypto]),
        .target(name: "DatabaseEngine", dependencies: ["SQLiteSchema", "CSQLite"]),
        .target(name: "OverlayVFS", dependencies: ["CSQLite"]),
        .target(name: "SQLiteFile", dependencies: ["SQLiteSchema"]),
        .target(name: "SQLiteSchema"),
        .executableTarget(name: "Benchmark", dependencies: ["SQLiteSchema", arguments]),
        .executableTarget(name: "SampleMaker", dependencies: ["GRDBEngine", engine]),
        .target(name: "CLandlock"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

        // What tests share: seeds and processes, and the cases that go through the whole of Drydock.
        .target(name: "TestTools", dependencies: ["CTestTools", engine], path: "Tests/TestTools"),
        .target(name: "CTestTools", path: "Tests/CTestTools"),
        .target(
            name: "DrydockTestSupport",
            dependencies: [
                "Drydock", "DrydockLibraries", "DrydockReplay", "DrydockConservation",
                "DrydockState", "DrydockMigrations",
                engine, "GRDBEngine",
                "NIOEngine", "SQLiteFile", "SQLiteSchema", "CSQLite", "TestTools",
            ], path: "Tests/DrydockTestSupport"),
        .testTarget(name: "SQLiteSchemaTests", dependencies: ["SQLiteSchema", "CSQLite", "TestTools"]),
        .testTarget(
            name: "SQLiteFileTests", dependencies: ["SQLiteFile", "SQLiteSchema", "CSQLite", "TestTools"]),
        .testTarget(
            name: "OverlayVFSTests", dependencies: ["OverlayVFS", "CSQLite", "KilledWriter", "TestTools"]),
        .executableTarget(
            name: "KilledWriter", dependencies: ["CSQLite"], path: "Tests/KilledWriter"),
        .testTarget(
            name: "DrydockTests",
            dependencies: [
                "DrydockTestSupport", "Drydock", engine, "GRDBEngine", "NIOEngine", "CSQLite", "TestTools",
            ]),
        .testTarget(
            name: "DrydockWatchTests",
            dependencies: ["DrydockTestSupport", "DrydockWatch", "Drydock", "GRDBEngine"]),
        .testTarget(
            name: "DrydockFleetTests",
            dependencies: [
                "DrydockVerify",
                "DrydockTestSupport", "DrydockFleet", "DrydockReport", "Drydock", engine, "GRDBEngine",
                "NIOEngine", "TestTools",
            ]),
        .testTarget(
            name: "DrydockProbesTests",
            dependencies: [
                "DrydockVerify", "DrydockLock",
                "DrydockTestSupport", "DrydockProbes", "DrydockReplay", "Drydock", engine,
                "GRDBEngine", "NIOEngine", "SQLiteSchema", "TestTools",
            ]),
        .testTarget(
            name: "DrydockSnapshotsTests",
            dependencies: [
                "DrydockTestSupport", "DrydockSnapshots", "DrydockProbes", "DrydockFindings", "Drydock",
                engine, "GRDBEngine",
                "NIOEngine", "SQLiteSchema", "TestTools",
            ]),
        .testTarget(
            name: "DrydockMigrateTests",
            dependencies: [
                "DrydockTestSupport", "DrydockMigrate", "DrydockMaintenance", "DrydockFindings", "Drydock",
                engine, "GRDBEngine", "NIOEngine", "OverlayVFS", "CSQLite", "TestTools",
            ]),
        .testTarget(
            name: "DrydockMaintenanceTests",
            dependencies: [
                "DrydockTestSupport", "DrydockMaintenance", "DrydockReport", "DrydockConservation",
                "DrydockState",
                "DrydockFindings", "Drydock", engine, "GRDBEngine", "NIOEngine", "OverlayVFS", "SQLiteFile",
                "TestTools",
            ]),
        .testTarget(
            name: "DrydockDiffTests",
            dependencies: [
                "DrydockTestSupport", "DrydockDiff", "DrydockReport", "DrydockFindings", "Drydock", engine,
                "GRDBEngine", "SQLiteSchema", "TestTools",
            ]),
        .testTarget(
            name: "DrydockLintTests",
            dependencies: [
                "DrydockTestSupport", "DrydockLint", "DrydockMigrations", "DrydockFindings", "Drydock",
                engine, "GRDBEngine", "SQLiteSchema", "CSQLite",
            ]),
        .testTarget(
            name: "DrydockShrinkTests",
            dependencies: [
                "DrydockTestSupport", "DrydockShrink", "DrydockVerify", "DrydockCrash", "DrydockLibraries",
                "DrydockReplay", "Drydock", engine, "GRDBEngine", "NIOEngine", "SQLiteSchema", "TestTools",
            ]),
        .testTarget(
            name: "DrydockLockTests",
            dependencies: [
                "DrydockTestSupport", "DrydockVerify", "DrydockLint", "DrydockLock", "DrydockReplay",
                "DrydockState", "DrydockFindings", "Drydock", engine, "GRDBEngine", "TestTools",
            ]),
        .testTarget(
            name: "DrydockCrashTests",
            dependencies: [
                "DrydockTestSupport", "DrydockCrash", "DrydockReplay", "DrydockMigrations", "Drydock", engine,
                "GRDBEngine", "NIOEngine", "SQLiteSchema",
            ]),
        .testTarget(
            name: "DrydockLibrariesTests",
            dependencies: [
                "DrydockTestSupport", "DrydockVerify", "DrydockLibraries", "DrydockReplay", "DrydockState",
                "Drydock", engine, "GRDBEngine", "NIOEngine", "OverlayVFS",
            ]),
        .testTarget(
            name: "DrydockReplayTests",
            dependencies: [
                "DrydockTestSupport", "DrydockVerify", "DrydockLint", "DrydockLibraries",
                "DrydockMaintenance", "DrydockReport", "DrydockReplay", "DrydockState", "DrydockMigrations",
                "DrydockFiles", "DrydockFindings", "Drydock", engine, "GRDBEngine", "NIOEngine", "OverlayVFS",
                "SQLiteSchema",
                "TestTools",
            ]),
        .testTarget(
            name: "DrydockConservationTests",
            dependencies: [
                "DrydockTestSupport", "DrydockConservation", "DrydockState", "DrydockMigrations", "Drydock",
                engine, "SQLiteSchema", "TestTools",
            ]),
        .testTarget(
            name: "DrydockStateTests",
            dependencies: [
                "DrydockVerify",
                "DrydockTestSupport", "DrydockState", "DrydockDiff", "DrydockLint", "DrydockMaintenance",
                "DrydockMigrate", "DrydockReplay", "DrydockMigrations", "DrydockFindings", "Drydock", engine,
                "GRDBEngine", "NIOEngine", "OverlayVFS", "SQLiteFile", "SQLiteSchema", "TestTools",
            ]),
        .testTarget(
            name: "DrydockMigrationsTests",
            dependencies: [
                "DrydockTestSupport", "DrydockMigrations", "DrydockFindings", "Drydock", engine,
                "GRDBEngine", "TestTools",
            ]),
        .testTarget(
            name: "DrydockFilesTests",
            dependencies: ["DrydockTestSupport", "DrydockFiles", "DrydockFindings"]),
        .testTarget(
            name: "DrydockFindingsTests",
            dependencies: [
                "DrydockTestSupport", "DrydockFindings", "Drydock", engine, "GRDBEngine", "SQLiteSchema",
                "TestTools",
            ]),
        .testTarget(
            name: "EngineTests",
            dependencies: ["GRDBEngine", "NIOEngine", engine, "OverlayVFS", "CSQLite", "TestTools", grdb]),
        .testTarget(name: "DrydockTestingTests", dependencies: ["DrydockTesting", "Drydock", grdb]),
        .testTarget(name: "SampleMakerTests", dependencies: ["SampleMaker", "GRDBEngine", engine]),
        .testTarget(
            name: "DrydockReportTests",
            dependencies: ["DrydockReport", "Drydock", "GRDBEngine", engine, "SQLiteSchema", "TestTools"],
            exclude: ["Golden"]),
        .testTarget(
            name: "DrydockCommandsTests",
            dependencies: [
                "DrydockCommands", "DrydockTool", "Drydock", "DrydockFiles", "DrydockFindings", engine,
                "CSQLite",
                "TestTools",
            ]),
        .testTarget(
            name: "DrydockLanguageServerTests",
            dependencies: ["DrydockLanguageServer", "Drydock", "GRDBEngine", "SQLiteSchema"]),
        .testTarget(name: "ArchitectureTests"),
    ],
    swiftLanguageModes: [.v6]
)

// The tests spend most of their time where bytes and SQL are read. LLVM's verifier takes a sixth of the time in which a target
// is compiled. Only where it is asked for, since no other package can depend on a version of one with such flags.
if Context.environment["DRYDOCK_OPTIMIZE"] != nil {
    let hot = [
        "DrydockConservation", "DrydockState", "DatabaseEngine", "OverlayVFS", "SQLiteFile", "SQLiteSchema",
    ]
    for target in package.targets where target.type != .system {
        let speed = hot.contains(target.name) ? ["-O"] : []
        target.swiftSettings =
            (target.swiftSettings ?? []) + [
                .unsafeFlags(["-Xfrontend", "-disable-llvm-verify"] + speed, .when(configuration: .debug))
            ]
    }
}
