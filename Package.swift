// swift-tools-version: 6.2
import PackageDescription

/// The one list of settings that every Swift target shares.
/// `BEAMSCRIBE_STRICT=1` (what `scripts/check` and CI set) turns warnings into errors; it is not
/// the default because a newer compiler's new warning must not break a user's build.
let isStrict = Context.environment["BEAMSCRIBE_STRICT"] != nil
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])

/// The program's own settings: a conversion that BeamscribeCore declares as deprecated, because it
/// traps for some numbers, is an error in every build.
let programSettings = settings + [.treatWarning("DeprecatedDeclaration", as: .error)]
/// In tests it is a warning, in every build: what they convert is their own.
let testSettings = settings + [.treatWarning("DeprecatedDeclaration", as: .warning)]

/// `BEAMSCRIBE_FUZZ=1` (what `scripts/fuzz` sets) adds the program that libFuzzer drives. It links
/// only where the compiler was told `-sanitize=fuzzer`, so that an everyday build goes without.
let isFuzzing = Context.environment["BEAMSCRIBE_FUZZ"] != nil
let fuzzProgram: [Target] =
    isFuzzing
    ? [
        .executableTarget(
            name: "BeamscribeFuzz", dependencies: ["FuzzTargets"], path: "Tests/FuzzProgram",
            swiftSettings: testSettings)
    ] : []

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let hasNATS = TargetDependencyCondition.when(traits: ["NATS"])
let hasVoice = TargetDependencyCondition.when(traits: ["Voice"])
let hasWeb = TargetDependencyCondition.when(traits: ["Web"])
func webLibrary(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: hasWeb)
}
let webLibraries: [Target.Dependency] = [
    ("HummingbirdCore", "hummingbird"),
    ("HTTPTypes", "swift-http-types"), ("Logging", "swift-log"), ("NIOCore", "swift-nio"),
    ("NIOPosix", "swift-nio"), ("NIOHTTP1", "swift-nio"), ("NIOHTTPTypes", "swift-nio-extras"),
    ("NIOWebSocket", "swift-nio"),
].map(webLibrary)
let webTestLibraries: [Target.Dependency] = [
    ("NIOEmbedded", "swift-nio"), ("NIOHTTPTypesHTTP1", "swift-nio-extras"),
].map(webLibrary)
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: programSettings)
}

func tests(
    of name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.target(name: name)] + dependencies,
        exclude: exclude,
        swiftSettings: testSettings)
}

/// The page's scripts; `PageFile` serves all but the last two as one.
let pageScripts = [
    "tools", "kept", "settings", "lines", "rows", "reading", "search", "history", "state", "stream",
    "logs", "interpreters", "elsewhere", "screen", "sound", "dialogs", "words", "keys", "floor",
    "look",
]
/// The languages of the page's own words, besides English.
let pageWords = ["ar", "de", "es", "fr", "ja"]

let package = Package(
    name: "beamscribe",
    products: [
        .library(name: "Beamscribe", targets: ["Beamscribe"]),
        .executable(name: "beamscribe", targets: ["BeamscribeCommand"]),
    ],
    traits: [
        .default(enabledTraits: ["NATS", "Voice", "Web"]),
        .trait(
            name: "NATS",
            description: "Events beyond one network: `beamscribe host --nats`."),
        .trait(
            name: "Voice",
            description: "Voices beside the captions: `beamscribe host --voice`, `beamscribe talk`."
        ),
        .trait(name: "Web", description: "Captions in a browser: `beamscribe host --web`."),
    ],
    dependencies: [
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    ],
    targets: [
        .target(name: "CLinux"),
        .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-client-dev"])]),
        .systemLibrary(name: "CCairo", providers: [.apt(["libcairo2-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CEvdev", providers: [.apt(["libevdev-dev"])]),
        .systemLibrary(name: "CNats", providers: [.apt(["libnats-dev"])]),
        .systemLibrary(name: "COgg", providers: [.apt(["libogg-dev"])]),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "COpus", providers: [.apt(["libopus-dev"])]),
        .systemLibrary(
            name: "CPipeWire", pkgConfig: "libpipewire-0.3",
            providers: [.apt(["libpipewire-0.3-dev"])]),
        .systemLibrary(name: "CQRencode", providers: [.apt(["libqrencode-dev"])]),
        .target(
            name: "CSound", dependencies: ["CPipeWire"],
            linkerSettings: [.linkedLibrary("asound")]),
        .systemLibrary(name: "CSpeexDSP", providers: [.apt(["libspeexdsp-dev"])]),
        .systemLibrary(name: "CSRTP", providers: [.apt(["libsrtp2-dev"])]),
        .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(
            name: "CVoiceCipher", dependencies: ["COpenSSL", "CSRTP"],
            linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("srtp2")]),
        .target(name: "CVoiceProcessing", dependencies: ["CWebRTCAudio"]),
        .systemLibrary(
            name: "CWebRTCAudio", pkgConfig: "webrtc-audio-processing",
            providers: [.apt(["libwebrtc-audio-processing-dev"])]),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),

        library("BeamscribeCore"),
        library("BeamscribeInput", ["BeamscribeCore"]),
        library("BeamscribeIO", ["BeamscribeCore", "CCurl", "CLinux"]),
        library("BeamscribeTLS", ["BeamscribeCore", "COpenSSL"]),
        library(
            "BeamscribeDiscovery",
            ["BeamscribeCore", "BeamscribeIO", "CAvahi", "COpenSSL", "CSystemd"]),
        library("BeamscribeVoice", ["BeamscribeCore"]),
        library(
            "BeamscribeSound",
            [
                "BeamscribeCore", "BeamscribeIO", "BeamscribeVoice", "CEvdev", "COgg", "COpus",
                "CSound", "CSpeexDSP",
                "CSRTP", "CSystemd", "CVoiceCipher", "CVoiceProcessing",
            ]),
        library("BeamscribeNATS", ["BeamscribeCore", "BeamscribeIO", "CNats"]),
        library(
            "Beamscribe",
            [
                "BeamscribeCore", "BeamscribeDiscovery", "BeamscribeIO", "BeamscribeInput",
                "BeamscribeTLS", "BeamscribeVoice",
                .target(name: "BeamscribeNATS", condition: hasNATS),
                .target(name: "BeamscribeSound", condition: hasVoice),
            ]),
        library("BeamscribeTerminal", ["BeamscribeCore", "CUTF8Proc"]),
        .target(
            name: "BeamscribeWeb",
            dependencies: [
                "Beamscribe", "BeamscribeCore", "BeamscribeDiscovery", "BeamscribeIO",
                "BeamscribeTLS", "CCairo", "CQRencode", "CZlib",
            ] + webLibraries,
            exclude: ["Page/Font/LICENSE"],
            resources: [
                .embedInCode("Page/page.html"), .embedInCode("Page/page.css"),
                .embedInCode("Page/look.html"),
                .embedInCode("Page/Font/OpenDyslexic.woff2"),
            ] + pageScripts.map { .embedInCode("Page/\($0).js") }
                + pageWords.map { .embedInCode("Page/Words/\($0).json") },
            swiftSettings: programSettings),
        .executableTarget(
            name: "BeamscribeCommand",
            dependencies: [
                "Beamscribe", "BeamscribeCore", "BeamscribeDiscovery", "BeamscribeIO",
                "BeamscribeInput", "BeamscribeTLS", "BeamscribeTerminal", "BeamscribeVoice",
                arguments, log,
                .target(name: "BeamscribeWeb", condition: hasWeb),
            ],
            swiftSettings: programSettings),

        .target(
            name: "TestSupport", path: "Tests/Support",
            exclude: [
                "Bluetooth/fake-bluetoothd", "Peers", "Sound/Lab", "Network/delayed-link.py",
                "Services/caption-service.py", "Services/nats_attack.py",
                "Services/nats_credentials.py", "Services/nats_server.py", "Services/nats_wire.py",
                "Services/obs-studio.py", "Web/tls-browser.py",
            ],
            swiftSettings: testSettings),
        tests(of: "BeamscribeCore", ["TestSupport"]),
        tests(of: "BeamscribeInput", ["BeamscribeCore", "TestSupport"]),
        tests(of: "BeamscribeIO", ["BeamscribeCore", "TestSupport"]),
        tests(of: "BeamscribeTLS", ["BeamscribeCore", "TestSupport"]),
        tests(of: "BeamscribeDiscovery", ["BeamscribeCore", "BeamscribeIO", "TestSupport"]),
        tests(
            of: "BeamscribeTerminal", ["BeamscribeCore", "TestSupport"], exclude: ["Recordings"]),
        tests(of: "BeamscribeVoice", ["BeamscribeCore"]),
        tests(of: "BeamscribeSound", ["BeamscribeVoice", "TestSupport"]),
        tests(
            of: "Beamscribe",
            [
                "BeamscribeCore", "BeamscribeDiscovery", "BeamscribeIO", "BeamscribeTLS",
                "TestSupport",
            ]),
        tests(
            of: "BeamscribeWeb",
            [
                "Beamscribe", "BeamscribeCore", "BeamscribeIO", "BeamscribeTLS", "CZlib",
                "TestSupport",
            ] + webLibraries + webTestLibraries),
        tests(
            of: "BeamscribeCommand", ["BeamscribeCore", "BeamscribeTLS", "TestSupport"],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "CommandPartsTests",
            dependencies: [
                "Beamscribe", "BeamscribeCommand", "BeamscribeCore", "BeamscribeDiscovery",
                "BeamscribeIO", "BeamscribeInput", "BeamscribeTLS", "BeamscribeTerminal",
                "TestSupport",
            ],
            swiftSettings: testSettings),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "BeamscribeCore", "BeamscribeDiscovery", "BeamscribeInput", "BeamscribeIO",
                "BeamscribeTLS", "BeamscribeVoice",
            ],
            path: "Tests/FuzzTargets", swiftSettings: testSettings),
        .testTarget(
            name: "FuzzTests", dependencies: ["BeamscribeCore", "FuzzTargets"],
            exclude: ["Corpus"], swiftSettings: testSettings),
        .target(
            name: "CSeededRandom", dependencies: ["COpenSSL"],
            path: "Tests/Simulation/CSeededRandom"),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Beamscribe", "BeamscribeCore", "BeamscribeDiscovery", "BeamscribeIO",
                "BeamscribeInput", "BeamscribeTLS", "BeamscribeVoice", "CSeededRandom",
            ],
            path: "Tests/Simulation", exclude: ["Command", "CSeededRandom", "README.md"],
            swiftSettings: testSettings),
        .testTarget(
            name: "NetworkTests", dependencies: ["BeamscribeCommand", "TestSupport"],
            swiftSettings: testSettings),
    ] + fuzzProgram,
    swiftLanguageModes: [.v6], cxxLanguageStandard: .cxx17
)
