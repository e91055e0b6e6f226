import Testing

@testable import DrydockCommands

/// Options that take a number say which.
@Suite struct NumberOptionTests {
    private static let wrong: [(arguments: [String], says: String)] = [
        (["verify", "--probe-seed", "-1"], "'-1' is not a number of at least 1"),
        (["verify", "--probe-seed=-1"], "'-1' is not a number of at least 1"),
        (["verify", "--probe-seed", "x"], "'x' is not a number of at least 1"),
        (["verify", "--probe-seed", "99999999999999999999"], "is not a number of at least 1"),
        (["verify", "--probe-rows", "-5"], "'-5' is not a number from 1 to 1000"),
        (["verify", "--probe-rows", "1001"], "'1001' is not a number from 1 to 1000"),
        (["verify", "--probe-rows", "1.5"], "'1.5' is not a number from 1 to 1000"),
        (["verify", "--jobs", "-1"], "'-1' is not a number of at least 1"),
        (["verify", "-j", "-1"], "'-1' is not a number of at least 1"),
        (["verify", "-j0"], "'0' is not a number of at least 1"),
        (["health", "a.sqlite", "--jobs", "-2"], "'-2' is not a number of at least 1"),
        (["health", "a.sqlite", "--budget", "-2s"], "'-2s' is not a duration"),
        (["verify", "--timeout", "-90"], "'-90' is not a duration such as 90s or 5m, or none"),
        (["migrate", "a.sqlite", "--busy-timeout", "-.5s"], "'-.5s' is not a duration"),
        (["verify", "--memory", "-1GB"], "'-1GB' is not a size"),
        (["vacuum", "a.sqlite", "--incremental", "-1"], "'-1' is not a number of at least 1"),
        (["vacuum", "a.sqlite", "--page-size", "-512"], "'-512' is not a power of two from 512 to 65536"),
        (["vacuum", "a.sqlite", "--page-size", "1000"], "'1000' is not a power of two from 512 to 65536"),
    ]

    @Test(arguments: wrong) func `what is wrong is said`(_ arguments: [String], _ says: String) throws {
        let result = try Project().run(arguments)
        #expect(result.status == 64 && result.errors.contains(says), "\(result.errors)")
    }

    @Test func `only what looks like a number belongs to the option before it`() {
        func joined(_ line: String) -> [String] {
            DrydockCommand.joiningNumbers(line.split(separator: " ").map(String.init))
        }
        #expect(joined("verify --probe-seed -1 -v") == ["verify", "--probe-seed=-1", "-v"])
        #expect(joined("verify --jobs 3 -q") == ["verify", "--jobs", "3", "-q"])
        #expect(joined("verify --probe-seed=4 -1") == ["verify", "--probe-seed=4", "-1"])
        #expect(joined("verify --jobs -1 -2") == ["verify", "--jobs=-1", "-2"])
        #expect(joined("verify -- --jobs -1.sqlite") == ["verify", "--", "--jobs", "-1.sqlite"])
        #expect(joined("-1") == ["-1"])
    }
}
