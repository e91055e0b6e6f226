/// The state of all files of an overlay at one moment: the main database, its `-wal` and `-journal`, and
/// attached files.
///
/// It never changes, takes memory only for what differs from the image before, and keeps the mapped snapshot
/// alive.
package struct Image: Sendable {
    /// The main database's name.
    let path: FilePath
    /// The files by name; nil for a name without a file.
    let files: [FilePath: FileImage?]
    let bases: [MappedFile]

    let main: FileImage

    init(path: FilePath, files: [FilePath: FileImage?], bases: [MappedFile]) {
        (self.path, self.files, self.bases) = (path, files, bases)
        main = (files[path] ?? nil) ?? .empty
    }

    /// Maps a snapshot with the `-wal` and `-journal` files beside it.
    /// - Parameters:
    ///   - holdsDescriptors: whether the descriptors of these files stay open until ``closeDescriptors()``, so that this
    ///     process's connections to the files keep their locks.
    ///   - ignoresJournal: whether a journal is left out: that of a writer at work, whose changes are not in the database
    ///     yet.
    /// - Throws: ``OverlayError``.
    package init(
        snapshot path: String, holdsDescriptors: Bool = false, ignoresJournal: Bool = false
    ) throws(OverlayError) {
        let path = FilePath(path).resolved
        var files: [FilePath: FileImage?] = [:]
        var bases: [MappedFile] = []
        for suffix in Sidecar.content {
            let name = path.appending(suffix)
            if ignoresJournal, suffix == Sidecar.journal {
                files.updateValue(nil, forKey: name)
                continue
            }
            let base =
                suffix.isEmpty
                ? try MappedFile(name, holdsDescriptor: holdsDescriptors)
                : try FileSpace.map(name, holdsDescriptor: holdsDescriptors)
            files.updateValue(base.map { FileImage($0) }, forKey: name)
            if let base { bases.append(base) }
        }
        self.init(path: path, files: files, bases: bases)
    }

    /// Closes the descriptors that are still open, which drops this process's locks on the files.
    package func closeDescriptors() {
        for base in bases { base.closeDescriptor() }
    }

    /// Whether a log or a journal beside the main database holds bytes.
    package var hasSidecars: Bool {
        Sidecar.content.contains { suffix in
            !suffix.isEmpty && ((files[path.appending(suffix)] ?? nil)?.size ?? 0) > 0
        }
    }

    /// The size of the main database file in bytes.
    package var byteCount: Int { main.size }

    /// The main database's page size in bytes; SQLite's default, 4096, for an empty or damaged file.
    package var pageSize: Int { main.pageSize }

    /// Copies bytes of the main database file into the whole buffer; zeros beyond the file's end.
    ///
    /// The contents of a `-wal` beside it are not included.
    /// - Throws: ``OverlayError/shrank(path:)`` if the snapshot lost a page.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(OverlayError) {
        try main.read(into: buffer, at: offset)
    }

    /// Gives the memory of what was read of mapped files back to the system: a read of a whole database otherwise
    /// counts as so much memory of this process.
    package func releaseMemory() { for base in bases { base.releaseMemory() } }

    /// The image without other files, such as databases that were attached.
    package var alone: Image { Image(path: path, files: mainFiles(as: path), bases: bases) }

    /// Returns the main database and its companions under another name. A missing companion is also missing
    /// under the new name, whatever the disk has.
    func mainFiles(as name: FilePath) -> [FilePath: FileImage?] {
        var result: [FilePath: FileImage?] = [:]
        for suffix in Sidecar.content {
            result.updateValue(files[path.appending(suffix)] ?? nil, forKey: name.appending(suffix))
        }
        return result
    }
}
