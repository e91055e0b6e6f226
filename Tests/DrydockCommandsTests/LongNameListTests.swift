import Testing

@testable import DrydockCommands

/// What the parser does not see comes back in its place.
@Suite struct LongNameListTests {
    private func parsed(_ arguments: [String]) throws -> (names: [String], seen: Int) {
        let (short, list) = LongNameList.taken(from: arguments)
        let command = try #require(
            list.restored(in: try DrydockCommand.parseAsRoot(short)) as? HealthCommand)
        return (command.databases, short.count)
    }

    private func names(_ count: Int, _ letter: String = "a") -> [String] {
        (1...count).map { "\(letter)\($0).db" }
    }

    @Test(arguments: [1, 2, 99, 100, 101, 5_000]) func everyNameComesBackInOrder(_ count: Int) throws {
        let all = names(count)
        #expect(try parsed(["health"] + all).names == all)
        #expect(try parsed(["health", "-q"] + all + ["--deep"]).names == all)
        #expect(try parsed(["health", "--"] + all).names == all)
    }

    @Test func aValueStaysWithItsOption() throws {
        let all = names(300)
        let (short, list) = LongNameList.taken(from: ["health", "--only", "integrity-failure"] + all)
        let command = try #require(
            list.restored(in: try DrydockCommand.parseAsRoot(short)) as? HealthCommand)
        #expect(command.only == ["integrity-failure"])
        #expect(command.databases == all)
    }

    @Test func severalListsKeepTheirOrder() throws {
        let (first, second) = (names(200, "a"), names(300, "b"))
        #expect(try parsed(["health"] + first + ["-q"] + second).names == first + second)
    }

    @Test func theParserSeesFew() throws {
        #expect(try parsed(["health"] + names(5_000)).seen == 4)
        #expect(try parsed(["health"] + names(50)).seen == 51)
    }

    @Test func otherCommandsAreLeftAlone() {
        let arguments = ["diff"] + names(500)
        let (short, _) = LongNameList.taken(from: arguments)
        #expect(short == arguments)
        #expect(LongNameList.taken(from: []).arguments == [])
    }
}
