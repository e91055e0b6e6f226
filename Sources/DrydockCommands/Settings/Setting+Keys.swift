import Drydock
import SQLiteSchema
import Yams

extension ConfigFile {
    /// Reads the keys under another, or those of the file, by the table of settings.
    /// - Throws: RequestError with file, line and what is expected.
    mutating func read(_ node: Node, under outer: [String] = [], _ reader: YAMLReader) throws {
        for (key, value) in try reader.mapping(node, outer.last ?? "the file") {
            let word = try reader.string(key, "a key")
            let path = outer + [word.foldedKey]
            if let setting = Setting.all.first(where: { $0.path == path }) {
                try setting.parse(reader, value, word, &self)
            } else if Setting.all.contains(where: { $0.path.starts(with: path) }) {
                try read(value, under: path, reader)
            } else {
                throw reader.fault(key, Setting.fault(of: word, under: outer))
            }
        }
    }
}

extension Setting {
    /// The key and what it stands under, without regard to its spelling.
    var path: [String] { key.split(separator: ".").map { String($0).foldedKey } }

    /// The key as it is written: `health: budget:`.
    var written: String { key.replacing(".", with: ": ") }

    /// Says what is wrong with a key that no setting has, and which was meant.
    static func fault(of word: String, under outer: [String]) -> String {
        let place = outer.last ?? ConfigFile.defaultPath
        var keys: [String] = []
        for setting in all where setting.path.starts(with: outer) {
            let name = String(setting.key.split(separator: ".")[outer.count])
            if !keys.contains(name) { keys.append(name) }
        }
        let meant =
            all.first { $0.path.last == word.foldedKey } ?? all.first { $0.flag?.foldedKey == word.foldedKey }
        guard let meant else { return YAMLReader.unknown(word, in: place, keys) }
        return "'\(word)' is not a key of \(place); write it as '\(meant.written)'"
    }
}
