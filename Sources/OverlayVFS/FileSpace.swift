import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The names of an overlay and the files that they stand for.
///
/// A name that the overlay knows is looked up only here. Any other name is looked up on the disk: when a file
/// there is first opened, it becomes the read-only base of a file here. Created and deleted names are
/// remembered only here.
final class FileSpace: Sendable {
    /// What a name stands for.
    enum Node: Sendable {
        case file(OverlayFile)
        /// Deleted, or never existed; the disk is not looked at.
        case absent
    }

    private struct State {
        var nodes: [FilePath: Node]
        /// Every file on the disk that was mapped, including deleted ones.
        var bases: [MappedFile]
        var fault: OverlayError?
        var log = Overlay.faultLog

        func file(_ path: FilePath) -> OverlayFile? {
            if case .file(let file) = nodes[path] { file } else { nil }
        }
    }

    let store: BlockStore
    private let main: FilePath
    /// Which operations fail, in tests.
    private let faults = Overlay.faults
    /// What is done to named files; nil where nobody asks.
    let writes = Overlay.writeLog
    private let reach = Overlay.reach
    private let state: Mutex<State>

    /// - Parameters:
    ///   - main: the name of the main database.
    ///   - images: the initial state of the files; nil for a name without a file.
    ///   - allowance: how many bytes may be written.
    init(
        main: FilePath, _ images: [FilePath: FileImage?], bases: [MappedFile], memoryLimit: Int,
        allowance: Int
    ) {
        self.main = main
        let store = BlockStore(memoryLimit: memoryLimit, allowance: allowance)
        self.store = store
        state = Mutex(State(nodes: images.mapValues { Self.node($0, store) }, bases: bases))
    }

    /// Every file on the disk that was mapped.
    var bases: [MappedFile] { state.withLock { $0.bases } }

    private static func node(_ image: FileImage?, _ store: BlockStore) -> Node {
        image.map { .file(OverlayFile($0, store: store)) } ?? .absent
    }

    /// The last error that a callback could pass to SQLite only as a result code.
    var fault: OverlayError? { state.withLock { $0.fault } }

    func note(_ error: OverlayError) {
        let log = state.withLock { state in
            state.fault = error
            return state.log
        }
        log?.note(error)
    }

    /// Called before each operation on a file.
    /// - Throws: ``OverlayError`` if a test makes the operation fail.
    @inline(__always) func begin(_ operation: FaultPlan.Operation) throws(OverlayError) {
        if let faults { try faults.check(operation, "the overlay") }
    }

    var hasFaults: Bool { faults != nil }

    /// Returns whether a test makes a lock fail.
    func isBusy() -> Bool { faults?.fails(.lock) ?? false }

    /// - Parameter isStatementJournal: whether SQLite keeps pages of the database there, for a statement that may fail.
    func makeTemporaryFile(isStatementJournal: Bool) -> OverlayFile {
        let database = isStatementJournal ? state.withLock { $0.file(main) } : nil
        return OverlayFile(.empty, store: store, journalOf: database)
    }

    func knows(_ path: FilePath) -> Bool {
        state.withLock { $0.nodes[path] != nil }
    }

    /// Returns the file of a name; nil if there is none.
    /// - Throws: ``OverlayError`` if what the disk has under the name cannot be mapped.
    func file(_ path: FilePath) throws(OverlayError) -> OverlayFile? {
        try state.withLock { state throws(OverlayError) in
            switch state.nodes[path] {
            case .file(let file): return file
            case .absent: return nil
            case nil: break
            }
            guard reach.covers(path.resolved) else {
                // A file that is not on the disk either may be created in the overlay.
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

    /// Creates an empty file, or returns the one that another connection created meanwhile.
    func create(_ path: FilePath) -> OverlayFile {
        state.withLock { state in
            if let file = state.file(path) { return file }
            let database = path.removing(suffix: Sidecar.journal).flatMap { state.file($0) }
            let file = OverlayFile(.empty, store: store, journalOf: database)
            state.nodes[path] = .file(file)
            return file
        }
    }

    /// Deletes a name. Connections that have the file open keep it, as on a disk.
    /// - Returns: false if there was no such file.
    func delete(_ path: FilePath) -> Bool {
        guard exists(path, emptyCounts: true) else { return false }
        state.withLock { $0.nodes[path] = .absent }
        return true
    }

    /// Returns whether a name stands for a file.
    /// - Parameter emptyCounts: whether an empty file counts.
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

    /// Adds files under names that are not in use yet.
    func mount(_ images: [FilePath: FileImage?], bases: [MappedFile]) {
        state.withLock { state in
            for (path, image) in images { state.nodes[path] = Self.node(image, store) }
            let known = Set(state.bases.map(ObjectIdentifier.init))
            state.bases += bases.filter { !known.contains(ObjectIdentifier($0)) }
        }
        // Comparing or sorting these files writes about as much again.
        store.allow(Overlay.share(of: images))
    }

    /// Gives files that may be open another content, and what was mapped before back. Faults go to the log of this task from
    /// now on, and what is spilled to its meter.
    /// - Parameter allowance: how many bytes may be written from now on.
    func rebase(_ images: [FilePath: FileImage], bases: [MappedFile], allowance: Int) {
        state.withLock { state in
            for (path, image) in images { state.file(path)?.rebase(on: image) }
            (state.bases, state.fault, state.log) = (bases, nil, Overlay.faultLog)
        }
        store.begin(allowance: allowance)
    }

    /// Freezes every file.
    func freeze() -> (files: [FilePath: FrozenFile?], bases: [MappedFile]) {
        var faults: [OverlayError] = []
        let frozen = state.withLock { state in
            let files = state.nodes.mapValues { node -> FrozenFile? in
                guard case .file(let file) = node else { return nil }
                do throws(OverlayError) { try file.storePieces() } catch { faults.append(error) }
                return file.freeze()
            }
            return (files, state.bases)
        }
        faults.forEach(note)
        return frozen
    }

    func checkUnchanged() throws(OverlayError) {
        for base in bases { try base.checkUnchanged() }
    }

    func closeDescriptors() {
        for base in bases { base.closeDescriptor() }
    }

    private static func isOnDisk(_ path: FilePath) -> Bool {
        var status = stat()
        return lstat(path.cString, &status) == 0
    }

    /// Maps a file on the disk; returns nil if there is none.
    static func map(_ path: FilePath, holdsDescriptor: Bool = false) throws(OverlayError) -> MappedFile? {
        do throws(OverlayError) {
            return try MappedFile(path, holdsDescriptor: holdsDescriptor)
        } catch .missing {
            return nil
        }
    }
}
