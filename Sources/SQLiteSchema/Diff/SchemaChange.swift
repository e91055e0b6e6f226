/// One difference between two schemas, as the action that turns the old one into the new one.
///
/// Names are spelt as in the new schema; names of dropped things as in the old one.
public enum SchemaChange: Sendable, Hashable {
    case tableAdded(Table)
    case tableDropped(Table)
    /// Only with a hint: without one it is a dropped and an added table.
    case tableRenamed(from: String, to: String)
    case table(String, TableChange)

    case indexAdded(Index)
    case indexDropped(Index)
    case index(String, table: String, IndexChange)

    case viewAdded(View)
    case viewDropped(View)
    case view(String, ViewChange)

    case triggerAdded(Trigger)
    case triggerDropped(Trigger)
    case trigger(String, table: String, TriggerChange)

    case virtualTableAdded(VirtualTable)
    case virtualTableDropped(VirtualTable)
    case virtualTable(String, VirtualTableChange)

    /// The names differ only in ASCII case, so SQLite takes them for the same name.
    case respelled(ObjectKind, from: String, to: String)

    /// Objects that could not be parsed are compared by tokens.
    case unparsedAdded(Unparsed)
    case unparsedDropped(Unparsed)
    case unparsedChanged(from: Unparsed, to: Unparsed)

    case setting(SettingChange)

    public enum ObjectKind: String, Sendable, Hashable {
        case table, index, view, trigger
        case virtualTable = "virtual table"
    }
}

public enum IndexChange: Sendable, Hashable {
    case table(from: String, to: String)
    case unique(Bool)
    /// The columns and expressions of the index, in order.
    case terms(from: [String], to: [String])
    /// The expression of the term at a position, counted from 1.
    case expression(position: Int, from: SQLFragment, to: SQLFragment)
    case collation(position: Int, from: String, to: String)
    case direction(position: Int, isDescending: Bool)
    /// The condition of a partial index; nil if the index has every row.
    case condition(from: SQLFragment?, to: SQLFragment?)
}

public enum ViewChange: Sendable, Hashable {
    case columns(from: [String]?, to: [String]?)
    case query(from: SQLFragment, to: SQLFragment)
    /// The names of the view's columns differ only in ASCII case.
    case respelled(from: [String], to: [String])
}

public enum TriggerChange: Sendable, Hashable {
    case table(from: String, to: String)
    case timing(from: Trigger.Timing, to: Trigger.Timing)
    case event(from: Trigger.Event, to: Trigger.Event)
    case condition(from: SQLFragment?, to: SQLFragment?)
    case body(from: [SQLFragment], to: [SQLFragment])
}

public enum VirtualTableChange: Sendable, Hashable {
    case module(from: String, to: String)
    case arguments(from: [VirtualTable.Argument], to: [VirtualTable.Argument])
}

public enum SettingChange: Sendable, Hashable {
    case userVersion(from: Int32, to: Int32)
    case applicationID(from: Int32, to: Int32)
    case pageSize(from: Int, to: Int)
    case encoding(from: TextEncoding, to: TextEncoding)
    case autoVacuum(from: DatabaseSettings.AutoVacuum, to: DatabaseSettings.AutoVacuum)
}
