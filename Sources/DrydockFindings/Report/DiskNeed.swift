/// The space that a command needs in one folder.
public struct DiskNeed: Sendable, Equatable, Codable {
    public var folder: String
    public var bytes: Int
    /// What the space is for.
    public var purpose: String
    /// The free space, in bytes; nil if the file system does not say.
    public var free: Int?

    public init(folder: String, bytes: Int, purpose: String, free: Int?) {
        (self.folder, self.bytes, self.purpose, self.free) = (folder, bytes, purpose, free)
    }
}
