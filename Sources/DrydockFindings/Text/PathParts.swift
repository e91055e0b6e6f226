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

    /// Returns a path as a shell takes it: in single quotes where it has more than plain characters.
    package static func inShell(_ path: String) -> String {
        let isPlain = path.allSatisfy { $0.isLetter || $0.isNumber || "/._-@+".contains($0) }
        return isPlain ? path : "'" + path.replacing("'", with: "'\\''") + "'"
    }
}
