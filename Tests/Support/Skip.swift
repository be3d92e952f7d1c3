import Foundation

// A build with the static standard library builds this target too, and finds no Testing.
#if canImport(Testing)
    public import Testing

    /// Traits for tests that need more than every system has: `@Test(Skip.withoutLan)`.
    ///
    /// A skipped test says why in the test run's output. With `BEAMSCRIBE_TEST_SKIP=never` nothing
    /// is skipped, and what cannot run fails: for a CI job that must not lose its network tests
    /// unseen.
    public enum Skip {
        /// The test makes a ``Lan``.
        public static var withoutLan: ConditionTrait { unless(Lan.unavailableReason()) }

        /// The test makes a ``Lan`` and listens to what goes over it.
        public static var withoutLanAndTcpdump: ConditionTrait {
            let tcpdump = Tool.exists("tcpdump") ? nil : "tcpdump is not installed"
            return unless(Lan.unavailableReason() ?? tcpdump)
        }

        /// Needs to mount file systems of its own.
        public static var withoutRoot: ConditionTrait {
            unless(geteuid() == 0 ? nil : "only root can mount a file system")
        }

        /// The test makes a ``FakeBluetooth``.
        public static var withoutBluetooth: ConditionTrait {
            unless(FakeBluetooth.unavailableReason())
        }

        /// The test makes a ``SoundLab``.
        public static var withoutSoundLab: ConditionTrait { unless(SoundLab.unavailableReason()) }

        /// The test makes a ``TerminalSession``.
        public static var withoutTmux: ConditionTrait {
            unless(TerminalSession.unavailableReason())
        }

        /// The test makes a ``TerminalSession`` on a host of a ``Lan``.
        public static var withoutLanAndTmux: ConditionTrait {
            unless(Lan.unavailableReason() ?? TerminalSession.unavailableReason())
        }

        /// The test has systemd judge a unit.
        public static var withoutSystemdAnalyze: ConditionTrait {
            let isThere = (try? Tool.path(of: "systemd-analyze")) != nil
            return unless(isThere ? nil : "systemd-analyze is missing (Debian: systemd)")
        }

        /// The test runs a program of the system.
        public static func without(_ program: String) -> ConditionTrait {
            unless(Tool.exists(program) ? nil : "\(program) is missing")
        }

        /// The test runs unless there is a reason why it cannot.
        public static func unless(_ reason: String?) -> ConditionTrait {
            let setting = ProcessInfo.processInfo.environment["BEAMSCRIBE_TEST_SKIP"]
            let comment = Comment(rawValue: reason ?? "everything is there")
            return .enabled(if: reason == nil || setting == "never", comment)
        }
    }
#endif
