import CSQLite
import Synchronization

/// The locks of one file between the connections of one overlay.
///
/// Any number of connections may read (SHARED). One of them may prepare to write (RESERVED). It then waits
/// for the others to finish while no new reader starts (PENDING), and then has exclusive use of the file
/// (EXCLUSIVE). https://www.sqlite.org/lockingv3.html
final class FileLocks: Sendable {
    private struct State {
        var shared = 0
        var reserved: ObjectIdentifier?
        var pending: ObjectIdentifier?
        var exclusive: ObjectIdentifier?
    }

    private let state = Mutex(State())

    /// Raises the holder's lock.
    /// - Parameter level: the level that the holder has; updated to the new one. A holder that must wait for
    ///   readers is left with PENDING.
    /// - Returns: SQLITE_OK, or SQLITE_BUSY if another connection's lock conflicts.
    func raise(_ level: inout Int32, to wanted: Int32, for holder: ObjectIdentifier) -> Int32 {
        guard wanted > level else { return SQLITE_OK }
        return state.withLock { state in
            switch wanted {
            case SQLITE_LOCK_SHARED:
                guard state.pending == nil, state.exclusive == nil else { return SQLITE_BUSY }
                state.shared += 1
            case SQLITE_LOCK_RESERVED:
                guard state.reserved == nil, state.pending == nil else { return SQLITE_BUSY }
                state.reserved = holder
            default:
                guard state.pending == nil || state.pending == holder else { return SQLITE_BUSY }
                state.pending = holder
                guard state.shared == 1 else {
                    level = SQLITE_LOCK_PENDING
                    return SQLITE_BUSY
                }
                state.exclusive = holder
            }
            level = wanted
            return SQLITE_OK
        }
    }

    /// Lowers the holder's lock to SHARED or NONE.
    func lower(_ level: inout Int32, to wanted: Int32, for holder: ObjectIdentifier) {
        guard wanted < level else { return }
        state.withLock { state in
            if state.reserved == holder { state.reserved = nil }
            if state.pending == holder { state.pending = nil }
            if state.exclusive == holder { state.exclusive = nil }
            if wanted == SQLITE_LOCK_NONE { state.shared -= 1 }
        }
        level = wanted
    }

    /// Whether any connection holds RESERVED or more.
    var isReserved: Bool {
        state.withLock { $0.reserved != nil || $0.pending != nil || $0.exclusive != nil }
    }
}
