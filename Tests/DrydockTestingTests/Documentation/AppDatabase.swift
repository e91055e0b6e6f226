import GRDB

/// The app of the pages.
enum AppDatabase {
    static var migrator: DatabaseMigrator { Notebook.released }
    static let configuration = Configuration()
}
