/// The configuration beside a folder of Flyway's migrations.
///
/// Flyway reads `flyway.toml` and `flyway.conf` in the folder that it is run in and in its `conf/`. Spring reads
/// `application.properties` among the resources, where the migrations are (https://documentation.red-gate.com/fd,
/// "Configuration files").
struct FlywayConfig {
    /// `mixed`: a file may mix statements that need no transaction with others.
    var isMixed = false

    /// Reads the nearest file in or above the folder that has the setting, no higher than the repository's root.
    init(around folder: FolderFiles) {
        for level in 0...4 {
            let above = String(repeating: "../", count: level)
            for name in ["flyway.toml", "flyway.conf", "conf/flyway.conf", "application.properties"] {
                guard let text = folder.text(above + name) else { continue }
                let key = /(?m)^\s*(?:spring\.)?(?:flyway\.)?mixed\s*[=:]\s*"?(true|false)\b/.ignoresCase()
                guard let match = text.firstMatch(of: key) else { continue }
                isMixed = match.1.lowercased() == "true"
                return
            }
            if folder.exists(above + ".git") { return }
        }
    }
}
