import Drydock

/// The place of a project's lock.
enum LockFile {
    /// Returns the path beside the configuration file, otherwise in the working folder.
    static func beside(_ config: String?) -> String {
        guard let config, let slash = config.lastIndex(of: "/") else { return Lock.defaultPath }
        return config[...slash] + Lock.defaultPath
    }
}
