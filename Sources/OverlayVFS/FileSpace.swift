import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The names of an overlay and the files behind them.
///
/// A name that the overlay knows is looked up here alone. Any other is the disk's: a file there becomes
/// the read-only base of a file here when it is first opened. Names made or deleted are remembered here
/// and nowhere else.
final class FileSpace: Sendable {
    /// What a name stands for.
    enum Node: Sendable {
        case file(OverlayFile)
        /// Deleted, or never there; the disk is not asked.
        case absent
    }

    private struct State {
        var nodes: [FilePath: Node]
        /// Every file of the disk that was mapped, deleted ones too.
        var bases: [MappedFile]
        var fault: OverlayError?
    }

    let store: BlockStore
    /// What is to fail, in tests.
    private let faults = Overlay.faults
    private let log = Overlay.faultLog
    private let reach = Overlay.reach
    private let state: Mutex<State>

    /// - Parameter images: the state of the files to begin with; nil for a name that stands for nothing.
    init(_ images: [FilePath: FileImage?], bases: [MappedFile], memoryLimit: Int) {
        let store = BlockStore(
            memoryLimit: memoryLimit, allowance: Overlay.allowance(over: bases.reduce(0) { $0 + $1.size }))
        self.store = store
        state = Mutex(State(nodes: images.mapValues { Self.node($0, store) }, bases: bases))
    }

    private static func node(_ image: FileImage?, _ store: BlockStore) -> Node {
        image.map { .file(OverlayFile($0, store: store)) } ?? .absent
    }

    /// The last error that a callback could tell SQLite only as a result code.
    var fault: OverlayError? { state.withLock { $0.fault } }

    func note(_ error: OverlayError) {
        state.withLock { $0.fault = error }
        log?.note(error)
    }

    /// Called before each operation on a file.
    /// - Throws: ``OverlayError`` when a test wants it to fail.
    @inline(__always) func begin(_ operation: FaultPlan.Operation) throws(OverlayError) {
        if let faults { try faults.check(operation, "the overlay") }
    }

    func makeTemporaryFile() -> OverlayFile { OverlayFile(.empty, store: store) }

    func knows(_ path: FilePath) -> Bool {
        state.withLock { $0.nodes[path] != nil }
    }

    /// The file of a name; nil when there is none.
    /// - Throws: ``OverlayError`` when the disk has something there that cannot be mapped.
    func file(_ path: FilePath) throws(OverlayError) -> OverlayFile? {
        try state.withLock { state throws(OverlayError) in
            switch state.nodes[path] {
            case .file(let file): return file
            case .absent: return nil
            case nil: break
            }
            guard reach.covers(path.resolved) else {
                // A file that is nowhere can be made here.
                guard Self.isOnDisk(path) else { return nil }
                throw .outOfReach(path: path.string)
            }
            guard let base = try Self.map(path) else { return nil }
            let file = OverlayFile(FileImage(base), store: store)
            state.nodes[path] = .file(file)
            state.bases.append(base)
            return file
        }
    }

    /// Makes an empty file, or gives the one that somebody else made meanwhile.
    func create(_ path: FilePath) -> OverlayFile {
        state.withLock { state in
            if case .file(let file) = state.nodes[path] { return file }
            let file = makeTemporaryFile()
            state.nodes[path] = .file(file)
            return file
        }
    }

    /// Forgets a name. Whoever has the file open keeps it, as on a disk.
    /// - Returns: false when there was none.
    func delete(_ path: FilePath) -> Bool {
        guard exists(path, emptyCounts: true) else { return false }
        state.withLock { $0.nodes[path] = .absent }
        return true
    }

    /// Whether a name stands for a file.
    /// - Parameter emptyCounts: whether a file without a byte is one.
    func exists(_ path: FilePath, emptyCounts: Bool) -> Bool {
        let known = state.withLock { $0.nodes[path] }
        switch known {
        case .file(let file): return emptyCounts || file.size > 0
        case .absent: return false
        case nil:
            var status = stat()
            guard stat(path.cString, &status) == 0 else { return false }
            return emptyCounts || status.st_mode & S_IFMT != S_IFREG || status.st_size > 0
        }
    }

    /// Puts the states of files under names that nobody uses yet.
    func mount(_ images: [FilePath: FileImage?], bases: [MappedFile]) {
        state.withLock { state in
            for (path, image) in images { state.nodes[path] = Self.node(image, store) }
            let known = Set(state.bases.map(ObjectIdentifier.init))
            state.bases += bases.filter { !known.contains(ObjectIdentifier($0)) }
        }
    }

    /// Freezes every file.
    func freeze() -> (files: [FilePath: FrozenFile?], bases: [MappedFile]) {
        state.withLock { state in
            let files = state.nodes.mapValues { node -> FrozenFile? in
                if case .file(let file) = node { file.freeze() } else { nil }
            }
            return (files, state.bases)
        }
    }

    func checkUnchanged() throws(OverlayError) {
        for base in state.withLock({ $0.bases }) { try base.checkUnchanged() }
    }

    private static func isOnDisk(_ path: FilePath) -> Bool {
        var status = stat()
        return lstat(path.cString, &status) == 0
    }

    /// Maps a file of the disk; nil when there is none.
    static func map(_ path: FilePath, holdsDescriptor: Bool = false) throws(OverlayError) -> MappedFile? {
        do throws(OverlayError) {
            return try MappedFile(path, holdsDescriptor: holdsDescriptor)
        } catch .missing {
            return nil
        }
    }
}
