// swift-tools-version:6.2

import PackageDescription

// An app as a stranger would have it: migrations in closures, and Drydock in its tests alone.
let package = Package(
    name: "Notes",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Drydock", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(name: "Notes", dependencies: [.product(name: "GRDB", package: "GRDB.swift")]),
        .testTarget(
            name: "NotesTests",
            dependencies: ["Notes", .product(name: "DrydockTesting", package: "Drydock")]),
        .testTarget(
            name: "NotesXCTests",
            dependencies: ["Notes", .product(name: "DrydockTesting", package: "Drydock")]),
    ]
)
