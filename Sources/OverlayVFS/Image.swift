/// The state of all files of an overlay at one moment: the main database, its `-wal` and `-journal`,
/// what was attached.
///
/// It never changes, costs what differs from the image before, and keeps the mapped snapshot alive.
package struct Image: Sendable {
    /// The main database's name.
    let path: FilePath
    /// Nil for a name that stands for nothing.
    let files: [FilePath: FileImage?]
    let bases: [MappedFile]

    let main: FileImage

    init(path: FilePath, files: [FilePath: FileImage?], bases: [MappedFile]) {
        (self.path, self.files, self.bases) = (path, files, bases)
        main = (files[path] ?? nil) ?? .empty
    }

    /// The size of the main database file in bytes.
    package var byteCount: Int { main.size }

    /// The main database's page size in bytes; SQLite's default, 4096, for an empty or damaged file.
    package var pageSize: Int { main.pageSize }

    /// Copies bytes of the main database file, as many as the buffer holds; zeros beyond its end.
    ///
    /// What a `-wal` beside it holds is not in it.
    /// - Throws: ``OverlayError/shrank(path:)`` when the snapshot lost a page.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(OverlayError) {
        try main.read(into: buffer, at: offset)
    }

    /// The main database and its companions under another name. A companion that is not there is
    /// nothing under the new name either, whatever the disk has.
    func mainFiles(as name: FilePath) -> [FilePath: FileImage?] {
        var result: [FilePath: FileImage?] = [:]
        for suffix in Image.suffixes {
            result.updateValue(files[path.appending(suffix)] ?? nil, forKey: name.appending(suffix))
        }
        return result
    }

    /// The database itself, its write-ahead log and its rollback journal.
    static let suffixes = ["", "-wal", "-journal"]
}
