// swift-tools-version: 6.2
import PackageDescription

// What somebody writes who has beamscribe's library and nothing else of it; see docs/LIBRARY.md.
let package = Package(
    name: "outside",
    dependencies: [.package(name: "beamscribe", path: "../..", traits: [])],
    targets: ["Captioner", "Listener", "Seat"].map {
        .executableTarget(
            name: $0, dependencies: [.product(name: "Beamscribe", package: "beamscribe")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ])
    },
    swiftLanguageModes: [.v6]
)
