import Foundation

/// Paths of files, as URIs name them (https://www.rfc-editor.org/rfc/rfc8089).
enum DocumentURI {
    /// Returns the path; nil for a URI that names no file of this machine.
    static func path(_ uri: String) -> String? {
        guard let components = URLComponents(string: uri), components.scheme?.lowercased() == "file",
            ["", "localhost"].contains(components.host?.lowercased() ?? "")
        else { return nil }
        let path = components.path
        // A NUL would end the name for the system, which would then open another file.
        guard path.hasPrefix("/"), !path.contains("\0") else { return nil }
        return standardized(path)
    }

    static func uri(_ path: String) -> String {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        return "file://"
            + path.utf8.map { byte in
                if allowed.contains(byte) { return String(UnicodeScalar(byte)) }
                let digits = String(byte, radix: 16, uppercase: true)
                return "%" + (digits.count < 2 ? "0" : "") + digits
            }.joined()
    }

    /// Returns a path without `.`, `..` and doubled slashes.
    static func standardized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
