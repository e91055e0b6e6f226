import CSQLite
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The WAL index of one database, shared by the connections of one overlay: memory, and eight locks.
///
/// It takes the place of the `-shm` file, which is never read: the first connection rebuilds the index from
/// the WAL. https://www.sqlite.org/walformat.html#the_wal_index_file_format
final class SharedMemory: Sendable {
    /// What one connection holds of the WAL index. Each bit is a lock slot.
    struct Claim {
        var isAttached = false
        var shared: UInt8 = 0
        var exclusive: UInt8 = 0
    }

    private struct State {
        var attached = 0
        /// Allocated with `calloc`, owned here, and handed out as bare addresses until the last connection
        /// detaches.
        var regions: [UnsafeMutableRawPointer] = []
        var sharedCounts = [Int](repeating: 0, count: Int(SQLITE_SHM_NLOCK))
        var exclusive: UInt8 = 0

        mutating func discardRegions() {
            regions.forEach { free($0) }
            regions = []
        }
    }

    private let state = Mutex(State())

    deinit { state.withLock { $0.discardRegions() } }

    /// Returns the address of a region, created if `isExtending`.
    /// - Returns: SQLITE_OK and an address (0 if there is no such region), or SQLITE_NOMEM.
    func map(
        region index: Int, size: Int, isExtending: Bool, _ claim: inout Claim
    ) -> (code: Int32, address: UInt) {
        state.withLock { state in
            if !claim.isAttached {
                claim.isAttached = true
                state.attached += 1
            }
            if index >= state.regions.count, !isExtending { return (SQLITE_OK, 0) }
            while index >= state.regions.count {
                guard let region = calloc(1, size) else { return (SQLITE_NOMEM, 0) }
                state.regions.append(region)
            }
            return (SQLITE_OK, UInt(bitPattern: state.regions[index]))
        }
    }

    /// Takes or releases a run of slots, all or none.
    /// https://www.sqlite.org/c3ref/c_shm_exclusive.html
    func lock(from offset: Int32, count: Int32, flags: Int32, _ claim: inout Claim) -> Int32 {
        guard offset >= 0, count > 0, offset + count <= SQLITE_SHM_NLOCK else { return SQLITE_MISUSE }
        let mask = UInt8(truncatingIfNeeded: ((1 << count) - 1) << offset)
        return state.withLock { state in
            if flags & SQLITE_SHM_UNLOCK != 0 {
                Self.release(mask, &claim, &state)
                return SQLITE_OK
            }
            if state.exclusive & mask & ~claim.exclusive != 0 { return SQLITE_BUSY }
            if flags & SQLITE_SHM_SHARED != 0 {
                let fresh = mask & ~claim.shared
                for slot in Self.slots(fresh) { state.sharedCounts[slot] += 1 }
                claim.shared |= fresh
                return SQLITE_OK
            }
            for slot in Self.slots(mask) {
                let own = claim.shared & (1 << UInt8(slot)) != 0 ? 1 : 0
                if state.sharedCounts[slot] > own { return SQLITE_BUSY }
            }
            state.exclusive |= mask
            claim.exclusive |= mask
            return SQLITE_OK
        }
    }

    /// Detaches a connection. The last one discards the index, and the next connection builds it again.
    func detach(_ claim: inout Claim) {
        guard claim.isAttached else { return }
        state.withLock { state in
            Self.release(0xFF, &claim, &state)
            state.attached -= 1
            if state.attached == 0 { state.discardRegions() }
        }
        claim = Claim()
    }

    private static func release(_ mask: UInt8, _ claim: inout Claim, _ state: inout State) {
        for slot in slots(claim.shared & mask) { state.sharedCounts[slot] -= 1 }
        claim.shared &= ~mask
        state.exclusive &= ~(claim.exclusive & mask)
        claim.exclusive &= ~mask
    }

    private static func slots(_ mask: UInt8) -> [Int] {
        (0..<Int(SQLITE_SHM_NLOCK)).filter { mask & (1 << UInt8($0)) != 0 }
    }
}
