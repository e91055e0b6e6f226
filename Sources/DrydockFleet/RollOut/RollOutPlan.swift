import DrydockFindings
import DrydockMigrate

/// Which databases are migrated when.
struct RollOutPlan {
    /// A database that has something pending.
    struct Item: Sendable {
        /// Its place in the request.
        var index: Int
        var path: String
        var version: String?
        var schema: Int
        var bytes: Int
    }

    struct Wave: Sendable {
        var name: String
        var items: [Item]
    }

    let waves: [Wave]

    /// - Parameters:
    ///   - done: how many of all databases are at the newest version already: they count as part of the first waves, so
    ///     that a roll-out that goes on has the same waves.
    ///   - migrated: how many the log says this roll-out has migrated; they were its canaries.
    init(_ items: [Item], done: Int, migrated: Int = 0, canary: Int, waves: [RollOutWave]) {
        let total = items.count + done
        let first = Self.canaries(items, max(0, canary - migrated))
        let isCanary = Set(first.map(\.index))
        var rest = items.filter { !isCanary.contains($0.index) }[...]
        var result = first.isEmpty ? [] : [Wave(name: RollOutSummary.Wave.canary, items: first)]
        var begun = done + first.count
        for wave in waves {
            let count = max(0, wave.count(of: total) - begun)
            guard count > 0 else { continue }
            result.append(Wave(name: wave.text, items: Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
            begun += count
        }
        self.waves = result.filter { !$0.items.isEmpty }
    }

    /// Returns one database of each schema and version, of the most frequent first, and then the smallest of the others.
    private static func canaries(_ items: [Item], _ count: Int) -> [Item] {
        guard count > 0 else { return [] }
        struct Kind: Hashable {
            var schema: Int
            var version: String?
        }
        let kinds = Dictionary(grouping: items) { Kind(schema: $0.schema, version: $0.version) }
        let one = kinds.values.sorted { ($1.count, $0[0].index) < ($0.count, $1[0].index) }
            .compactMap { $0.min { ($0.bytes, $0.index) < ($1.bytes, $1.index) } }.prefix(count)
        let chosen = Set(one.map(\.index))
        let others = items.filter { !chosen.contains($0.index) }
            .sorted { ($0.bytes, $0.index) < ($1.bytes, $1.index) }.prefix(count - one.count)
        return Array(one) + others
    }
}
