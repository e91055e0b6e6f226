import Drydock

/// Where a project's lock is.
enum LockFile {
    /// Beside the configuration file, else in the working folder.
    static func beside(_ config: String?) -> String {
        guard let config, let slash = config.lastIndex(of: "/") else { return Lock.defaultPath }
        return config[...slash] + Lock.defaultPath
    }
}
