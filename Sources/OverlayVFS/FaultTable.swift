import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A mapped range of addresses, as the signal handler sees it.
///
/// `start` is 0 when the slot is free and 1 while it is being filled; no address is 0 or 1.
struct FaultSlot: ~Copyable {
    let start = Atomic<UInt>(0)
    let end = Atomic<UInt>(0)
    /// Set by the handler before it puts a page of zeros under a faulting read, so that any thread that reads
    /// those zeros finds the flag set afterwards.
    let isBroken = Atomic<Bool>(false)
}

/// The mapped ranges of this process, so that a file which another process cuts short is an error and does
/// not end this process.
///
/// Reading a mapped page that lies beyond the end of its file raises SIGBUS (mmap(2)). The handler here puts
/// an anonymous page of zeros under the read, marks the range as broken and returns; the reader checks the
/// mark after its copy. Nothing in the handler allocates, locks or runs an initialiser: the table is plain
/// memory of fixed size that was filled before the handler was installed, and its fields are atomics.
enum FaultTable {
    static let capacity = 4096

    // Written once, inside `isInstalled`, before the handler is installed and before any range is added; only
    // read from then on. Constant initial values need no lazy initialiser, and unchecked exclusivity leaves
    // nothing for the Swift runtime to do in the handler.
    @exclusivity(unchecked) nonisolated(unsafe) private static var slots: UnsafeMutablePointer<FaultSlot>?
    @exclusivity(unchecked) nonisolated(unsafe) private static var previous: UnsafeMutablePointer<sigaction>?
    @exclusivity(unchecked) nonisolated(unsafe) private static var pageSize = 0
    @exclusivity(unchecked) nonisolated(unsafe) private static var pageFlags: Int32 = 0

    /// Installs the handler on first use; false if the system refuses it.
    private static let isInstalled: Bool = {
        let table = UnsafeMutablePointer<FaultSlot>.allocate(capacity: capacity)
        for index in 0..<capacity { (table + index).initialize(to: FaultSlot()) }
        let old = UnsafeMutablePointer<sigaction>.allocate(capacity: 1)
        old.initialize(to: sigaction())
        pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
        pageFlags = MAP_FIXED | MAP_PRIVATE | anonymousMapping
        previous = old
        slots = table

        var action = sigaction()
        sigemptyset(&action.sa_mask)
        action.sa_flags = Int32(SA_SIGINFO) | Int32(SA_ONSTACK)
        setHandler(&action) { number, info, _ in FaultTable.handle(number, info) }
        return sigaction(SIGBUS, &action, old) == 0
    }()

    /// Adds a mapped range.
    /// - Returns: its slot, or nil if every slot is taken. The slot stays valid for the life of the process;
    ///   it belongs to the caller until ``leave(_:)``.
    static func enter(_ start: UInt, count: Int) -> UnsafeMutablePointer<FaultSlot>? {
        guard isInstalled, let slots else { return nil }
        for index in 0..<capacity {
            let slot = slots + index
            let claim = slot.pointee.start.compareExchange(expected: 0, desired: 1, ordering: .acquiring)
            guard claim.exchanged else { continue }
            slot.pointee.isBroken.store(false, ordering: .relaxed)
            slot.pointee.end.store(start + UInt(count), ordering: .relaxed)
            slot.pointee.start.store(start, ordering: .releasing)
            return slot
        }
        return nil
    }

    /// Gives a slot back. Call it before the range is unmapped: the addresses may then belong to another
    /// mapping.
    static func leave(_ slot: UnsafeMutablePointer<FaultSlot>) {
        slot.pointee.start.store(0, ordering: .releasing)
    }

    // MARK: Inside the signal handler

    private static func handle(_ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?) {
        let savedErrno = errno
        defer { errno = savedErrno }
        guard let info else { return }
        // A code of zero or less means that a process sent the signal; there is no address then.
        let isFault = info.pointee.si_code > 0
        if isFault, covers(faultAddress(info)) { return }
        // The fault is not in a mapped range, so the previous handler gets it. A fault recurs at once when
        // this returns.
        sigaction(SIGBUS, previous, nil)
        if !isFault { raise(number) }
    }

    /// Puts a page of zeros under an address in a mapped range, and marks the range.
    private static func covers(_ address: UInt) -> Bool {
        guard let slots else { return false }
        var index = 0
        while index < capacity {
            let start = slots[index].start.load(ordering: .acquiring)
            if start > 1, address >= start, address < slots[index].end.load(ordering: .relaxed) {
                slots[index].isBroken.store(true, ordering: .sequentiallyConsistent)
                let page = UnsafeMutableRawPointer(bitPattern: address & ~UInt(pageSize - 1))
                return mmap(page, pageSize, PROT_READ, pageFlags, -1, 0) == page
            }
            index += 1
        }
        return false
    }
}
