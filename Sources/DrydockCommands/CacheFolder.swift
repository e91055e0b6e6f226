import Foundation

/// Where Drydock keeps what it can compute again: `$XDG_CACHE_HOME/drydock`, otherwise the system's folder for caches
/// (https://specifications.freedesktop.org/basedir-spec/latest/).
enum CacheFolder {
    static var path: String? {
        if let folder = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"], folder.hasPrefix("/") {
            return folder + "/drydock"
        }
        return FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            .map { $0.path(percentEncoded: false) + "/drydock" }
    }
}
