#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Other names of a database's file. SQLite looks for the log and the journal beside the name by which the file was
/// opened, so programs that use different names do not see, and damage, what the others write
/// (https://www.sqlite.org/howtocorrupt.html#_multiple_links_to_the_same_file).
package enum HardLinks {
    /// Returns why a database must not be written, with the remedy; nil if the file has only one name.
    package static func fault(of path: String) -> String? {
        var status = stat()
        // A folder always has several links.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1 else {
            return nil
        }
        return
            "\(path) has \(status.st_nlink) names (hard links), and a log or journal that belongs to one name is not "
            + "seen under another, so that writing could damage it: stop the programs that use it and remove the "
            + "other names, which find DIRECTORY -samefile \(path) shows; or make a file of its own with "
            + "drydock vacuum \(path) --into NEW"
    }
}
