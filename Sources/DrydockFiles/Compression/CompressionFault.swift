/// Why a compressed file cannot be read.
package struct CompressionFault: Error, CustomStringConvertible {
    package var path: String
    /// What is wrong with the file.
    package var fact: String
    package var help: String

    init(_ path: String, _ fact: String, help: String) {
        (self.path, self.fact, self.help) = (path, fact, help)
    }

    package var message: String { "\(path) \(fact)" }

    package var description: String { "\(message). \(help)" }
}
