/// A file that is open in the editor.
struct OpenDocument: Sendable {
    /// As the editor names it.
    let uri: String
    /// Nil for one that is not on a disk.
    let path: String?
    var text: TextDocument
    /// The key of its project; nil if it has none.
    var project: String?
    /// The path as lint of that project names it.
    var name: String?
}
