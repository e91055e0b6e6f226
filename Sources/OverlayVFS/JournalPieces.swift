/// The pieces of a journal that are not stored like those of other files: pages that its database has below the overlay, and
/// the few bytes between them.
///
/// SQLite copies each page into the journal before it changes it (https://www.sqlite.org/fileformat2.html#the_rollback_journal).
/// In an overlay, where what lies below never changes, that would be the whole database once more.
struct JournalPieces: Sendable {
    fileprivate enum Content: Sendable {
        /// The database has the same bytes at a place.
        case page(Int)
        /// In the order of memory.
        case bytes(UInt64)
        /// The journal has other bytes there by now.
        case nothing
    }

    fileprivate struct Piece: Sendable {
        var offset: Int
        var count: Int
        var content: Content

        var end: Int { offset + count }
    }

    private static let bytesLimit = MemoryLayout<UInt64>.size
    private static let leastPageSize = 512

    private var database = FileImage.empty
    /// Zero before the first page.
    private var pageSize = 0
    /// In the journal's order.
    private var pieces: [Piece] = []

    var isEmpty: Bool { pieces.isEmpty }

    /// Takes bytes that are written, if they need not be stored.
    /// - Parameters:
    ///   - size: the journal's size.
    ///   - number: the number of the page that may be written, which comes before it.
    ///   - image: the database, if this is the first page.
    /// - Returns: false if the bytes must be stored.
    mutating func take(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, size: Int, number: UInt32,
        of image: () -> FileImage
    ) -> Bool {
        let isPage = bytes.count >= Self.leastPageSize
        guard isPage || bytes.count <= Self.bytesLimit else { return false }
        let index = firstPiece { $0.end > offset }
        if index == pieces.count {
            guard offset >= size else { return false }
            if isPage {
                guard let content = page(bytes, number, image) else { return false }
                pieces.append(Piece(offset: offset, count: bytes.count, content: content))
            } else {
                append(bytes, at: offset)
            }
            return true
        }
        // A journal that is used again has its pages at the same places.
        let known = pieces[index]
        guard known.offset <= offset, offset + bytes.count <= known.end else { return false }
        if isPage {
            guard known.offset == offset, let content = page(bytes, number, image) else { return false }
            pieces[index].content = content
        } else {
            guard case .bytes = known.content else { return false }
            pieces[index].put(bytes, at: offset)
        }
        return true
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        var piece = Piece(offset: offset, count: 0, content: .bytes(0))
        if let last = pieces.last, last.end == offset, last.count + bytes.count <= Self.bytesLimit,
            case .bytes = last.content
        {
            piece = pieces.removeLast()
        }
        piece.count += bytes.count
        piece.put(bytes, at: offset)
        pieces.append(piece)
    }

    private mutating func page(
        _ bytes: UnsafeRawBufferPointer, _ number: UInt32, _ image: () -> FileImage
    ) -> Content? {
        let (file, size) = pageSize == 0 ? (image(), bytes.count) : (database, pageSize)
        let source = (Int(number) - 1) * size
        guard bytes.count == size, let known = file.contiguousBytes(at: source, count: size),
            known.isEqual(to: bytes)
        else { return nil }
        (database, pageSize) = (file, size)
        return .page(source)
    }

    /// Puts what it has of a range of the journal into a buffer.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(OverlayError) {
        for piece in pieces[indices(in: offset..<(offset + buffer.count))] {
            let (start, end) = (max(piece.offset, offset), min(piece.end, offset + buffer.count))
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[(start - offset)..<(end - offset)])
            try read(piece, from: start - piece.offset, into: target)
        }
    }

    private func read(
        _ piece: Piece, from start: Int, into target: UnsafeMutableRawBufferPointer
    ) throws(OverlayError) {
        switch piece.content {
        case .page(let source): try database.read(into: target, at: source + start)
        case .bytes(let bytes):
            withUnsafeBytes(of: bytes) { target.copyBytes(from: $0[start..<(start + target.count)]) }
        case .nothing: break
        }
    }

    /// Gives up the pieces in a range of the journal.
    /// - Parameter store: gets each of which a part lies outside the range, with its place in the journal.
    mutating func release(
        _ range: Range<Int>, _ store: (UnsafeRawBufferPointer, _ offset: Int) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        for index in indices(in: range) {
            let piece = pieces[index]
            if piece.offset < range.lowerBound || piece.end > range.upperBound { try pass(piece, to: store) }
            pieces[index].content = .nothing
        }
    }

    /// Passes every piece to a closure, and gives it up.
    mutating func releaseAll(
        _ store: (UnsafeRawBufferPointer, _ offset: Int) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        for piece in pieces { try pass(piece, to: store) }
        self = JournalPieces()
    }

    /// Forgets the pieces that end behind a place, and were given up.
    mutating func removeAll(behind size: Int) {
        pieces.removeSubrange(firstPiece { $0.end > size }...)
        if pieces.isEmpty { self = JournalPieces() }
    }

    private func pass(
        _ piece: Piece, to store: (UnsafeRawBufferPointer, _ offset: Int) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        if case .nothing = piece.content { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 16)
        defer { buffer.deallocate() }
        try read(piece, from: 0, into: buffer)
        try store(UnsafeRawBufferPointer(buffer), piece.offset)
    }

    private func indices(in range: Range<Int>) -> Range<Int> {
        let first = firstPiece { $0.end > range.lowerBound }
        return first..<max(first, firstPiece { $0.offset >= range.upperBound })
    }

    /// Returns the index of the first piece that satisfies a condition, which all later ones satisfy.
    private func firstPiece(where isFound: (Piece) -> Bool) -> Int {
        var range = 0..<pieces.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = isFound(pieces[middle]) ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
        }
        return range.lowerBound
    }
}

extension JournalPieces.Piece {
    /// Changes some of its bytes.
    fileprivate mutating func put(_ new: UnsafeRawBufferPointer, at position: Int) {
        guard case .bytes(var bytes) = content else { return }
        let start = position - offset
        withUnsafeMutableBytes(of: &bytes) { target in
            UnsafeMutableRawBufferPointer(rebasing: target[start..<(start + new.count)]).copyMemory(from: new)
        }
        content = .bytes(bytes)
    }
}
