import Foundation

/// A name in a folder, and what it is. One reading of the folder gives both: no file is opened.
package struct FolderEntry: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case file, folder, link }

    package var name: String
    package var kind: Kind
}

extension FolderListing {
    /// Returns what is in a folder, hidden names included, in no order; nil if it cannot be read.
    package static func entries(in folder: String) -> [FolderEntry]? {
        guard let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name), let stream = opendir(folder)
        else {
            note(errno)
            return nil
        }
        defer { closedir(stream) }
        var entries: [FolderEntry] = []
        while let entry = readdir(stream) {
            // The system allocates only as much of the field as the name needs.
            let bytes = UnsafeRawPointer(entry).advanced(by: offset)
            let characters = bytes.assumingMemoryBound(to: CChar.self)
            let type = Int(entry.pointee.d_type)
            guard let name = String(validatingCString: characters) else {
                let raw = UnsafeRawBufferPointer(start: bytes, count: strlen(characters))
                let name = ByteName.text(of: raw, in: folder, isFolder: type == Int(DT_DIR))
                entries.append(FolderEntry(name: name, kind: type == Int(DT_DIR) ? .folder : .file))
                continue
            }
            if name == "." || name == ".." { continue }
            entries.append(FolderEntry(name: name, kind: kind(type, folder + "/" + name)))
        }
        return entries
    }

    private static func kind(_ type: Int, _ path: String) -> FolderEntry.Kind {
        switch type {
        case Int(DT_DIR): return .folder
        case Int(DT_LNK): return .link
        case Int(DT_UNKNOWN):
            // Some file systems do not say.
            var status = stat()
            guard lstat(path, &status) == 0 else { return .file }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: return .folder
            case S_IFLNK: return .link
            default: return .file
            }
        default: return .file
        }
    }
}
