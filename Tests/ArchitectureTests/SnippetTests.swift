import Foundation
import Testing

/// Code on pages rots unless it is compiled: each block of Swift also stands in a file of a folder `Documentation` of
/// the tests, apart from its indentation and its imports.
@Suite struct SnippetTests {
    @Test func everySwiftBlockIsCompiled() throws {
        let files = try Repository.swiftFiles(in: "Tests").filter { $0.path.contains("/Documentation/") }
        let compiled = try files.map { (lines: Self.lines($0.text), imports: try $0.imports) }
        let pages = try ["docs", "Sources"].flatMap(Repository.texts).filter { $0.hasSuffix(".md") }
        var count = 0
        for page in pages + ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"] {
            for block in try Self.blocks(Repository.text(page)) {
                count += 1
                let lines = Self.lines(block)
                let imports = try Repository.File(path: page, text: block).imports
                #expect(
                    compiled.contains { file in
                        imports.isSubset(of: file.imports) && file.lines.ranges(of: lines).count > 0
                    },
                    "\(page): write this into a file in Tests/*/Documentation too, so that it is compiled:\n\(block)"
                )
            }
        }
        #expect(count >= 6)
    }

    @Test func aBlockIsFoundWhateverItsIndentation() {
        let page =
            "text\n```swift\nimport A\n\nlet a = 1\n  print(a)\n```\n```sh\nls\n```\n```swift\nlet b\n```\n"
        let blocks = Self.blocks(page)
        #expect(blocks.map(Self.lines) == [["let a = 1", "print(a)"], ["let b"]])
        #expect(
            Self.lines("func f() {\n    let a = 1\n        print(a)\n}").ranges(of: Self.lines(blocks[0]))
                .count == 1)
        #expect(Self.lines("let a = 1\nlet c = 2\nprint(a)").ranges(of: Self.lines(blocks[0])).isEmpty)
    }

    /// Returns the blocks of Swift on a page. A line of a manifest is none: `make traits` builds such packages.
    private static func blocks(_ page: String) -> [String] {
        page.matches(of: /(?m)^```swift.*\n((?:.*\n)*?)```$/).map { String($0.output.1) }
            .filter { !$0.hasPrefix(".package(") }
    }

    private static func lines(_ text: String) -> [String] {
        text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
    }
}
