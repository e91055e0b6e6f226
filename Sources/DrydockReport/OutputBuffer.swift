/// A buffer that passes text on in pieces, so that a long report is never in memory as a whole.
package struct OutputBuffer {
    package typealias Sink = ([UInt8]) -> Void

    private var bytes: [UInt8] = []
    private let sink: Sink

    /// In bytes.
    private static let limit = 64 << 10

    init(_ sink: @escaping Sink) {
        self.sink = sink
        bytes.reserveCapacity(Self.limit + 4096)
    }

    mutating func write(_ text: String) {
        bytes += text.utf8
        flushWhenFull()
    }

    mutating func write(_ more: [UInt8]) {
        bytes += more
        flushWhenFull()
    }

    mutating func write(_ body: (inout [UInt8]) -> Void) {
        body(&bytes)
        flushWhenFull()
    }

    mutating func flush() {
        if !bytes.isEmpty { sink(bytes) }
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func flushWhenFull() {
        if bytes.count >= Self.limit { flush() }
    }
}
