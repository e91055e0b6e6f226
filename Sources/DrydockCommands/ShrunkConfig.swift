import Drydock
import Yams

/// The drydock.yml of a folder that `drydock shrink` writes: what the project's own says of its migrations.
enum ShrunkConfig {
    /// - Parameter path: the project's own file, which was read before; nil where there is none.
    static func text(of path: String?, migrationFormat: String, _ settings: ShrunkSettings) -> String {
        // A path would lead out of the folder.
        let kept = Set((Setting.declared + Setting.tool).map(\.key)).subtracting([Setting.base.key])
        var pairs = [(Node(Setting.migrationFormat.key), Node(migrationFormat))]
        let checks = [
            (Setting.rollback, settings.checks.rollback), (Setting.crash, settings.checks.crashes),
            (Setting.crashWrites, settings.checks.crashWrites),
        ]
        if settings.comparesEngines {
            pairs.append((Node(Setting.engine.key), Node(ReplayEngines.all.rawValue)))
        }
        pairs += checks.filter(\.1).map { (Node($0.0.key), Node("true", Tag(.bool))) }
        if let path, let bytes = try? FolderListing.contents(of: path),
            let own = try? Yams.compose(yaml: String(decoding: bytes, as: UTF8.self))?.mapping
        {
            pairs += own.filter { kept.contains($0.key.string ?? "") }.map { ($0.key, $0.value) }
        }
        if let areOn = settings.foreignKeys,
            !pairs.contains(where: { $0.0.string == Setting.foreignKeys.key })
        {
            pairs.append((Node(Setting.foreignKeys.key), Node("\(areOn)", Tag(.bool))))
        }
        let text = try? Yams.serialize(node: Node(pairs))
        return "# In this folder, 'drydock verify' reports the finding.\n" + (text ?? "")
    }
}
