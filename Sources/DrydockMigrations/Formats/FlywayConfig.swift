/// What a configuration beside a folder of Flyway's migrations says.
///
/// Flyway reads `flyway.toml` and `flyway.conf` of the folder that it is run in and of its `conf/`; Spring's is
/// `application.properties` among the resources, where the migrations are
/// (https://documentation.red-gate.com/fd, "Configuration files").
struct FlywayConfig {
    /// `mixed`: a file may mix statements that need no transaction with others.
    var isMixed = false

    /// Reads the nearest one in or above the folder that says something, as far up as the repository reaches.
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
