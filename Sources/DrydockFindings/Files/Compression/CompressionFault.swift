/// Why a compressed file cannot be read.
package struct CompressionFault: Error, CustomStringConvertible {
    package var message: String
    package var help: String

    init(_ message: String, help: String) {
        (self.message, self.help) = (message, help)
    }

    package var description: String { "\(message). \(help)" }
}
