import Drydock

/// The place of a project's lock.
enum LockFile {
    /// Returns the path beside the configuration file, otherwise in the working folder.
    static func beside(_ config: ConfigFile) -> String { config.path(Lock.defaultPath) }
}
