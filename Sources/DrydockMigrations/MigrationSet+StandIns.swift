import DatabaseEngine
import SQLiteSchema

extension MigrationSet {
    /// The modules and tokenizers of the virtual tables that the migrations create.
    func findStandIns() -> StandIns {
        var names = StandIns()
        for statement in migrations.flatMap(\.statements) + expected.values.flatMap(\.self) {
            guard case .createVirtualTable(let name, let module) = statement.action else { continue }
            names.modules.insert(module.foldedASCII)
            let row = SchemaRow(type: "table", name: name.name, table: name.name, sql: statement.text)
            if let tokenizer = SchemaParser().schema(of: [row]).virtualTables.values.first?.tokenizer {
                names.tokenizers.insert(tokenizer)
            }
        }
        return names
    }
}
