/// The parts of a path, from its text alone: the disk is not looked at.
package enum PathParts {
    /// Returns the last part: `app.sqlite` of `/data/app.sqlite`; the path itself where it has no parts.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Returns the folder that a file is in: `/data` of `/data/app.sqlite`, `.` of `app.sqlite`.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
