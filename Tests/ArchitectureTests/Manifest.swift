import Testing

/// The arrows in Package.swift.
struct Manifest {
    /// The modules that each target declares, by target, without the test targets.
    let dependencies: [String: Set<String>]

    init() throws {
        let text = try Repository.text("Package.swift")
        let constants = Dictionary(
            text.matches(of: /(?m)^let (\w+)(?:: Target\.Dependency)? = (?:[^\n]*[\s(]+name: )?"(\w+)"/)
                .map { (String($0.output.1), String($0.output.2)) }, uniquingKeysWith: { first, _ in first })
        let targets = text.matches(
            of: /\.(?:executableT|t)arget\(\s*name: "(\w+)"(?:,\s*dependencies: \[([^\]]*)\])?/)
        #expect(targets.count > 15)
        dependencies = Dictionary(
            uniqueKeysWithValues: targets.map { match in
                let words = (match.output.2 ?? "").split { ", \n".contains($0) }.map(String.init)
                let names = words.map { word in
                    word.hasPrefix("\"") ? String(word.dropFirst().dropLast()) : constants[word] ?? word
                }
                return (String(match.output.1), Set(names))
            })
    }
}
