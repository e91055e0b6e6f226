/// A part of a tree that can be checked by itself: a page, with all below it or without.
///
/// The parts of a tree have every page of it once, so they can be checked at the same time.
public struct Subtree: @unchecked Sendable {
    public let page: UInt32
    /// The page that leads to it; for a root the root itself.
    let parent: UInt32
    /// The number of levels below the root.
    let depth: Int
    /// The entries of interior pages between which those of the part lie; nil at the ends of the tree.
    ///
    /// They point into pages, which no thread writes.
    var lower: TreeEntry?
    var upper: TreeEntry?
    /// Whether the pages below are other parts.
    var isOnePage = false

    /// Creates the part that is all of a tree.
    public init(_ root: UInt32) { (page, parent, depth) = (root, root, 0) }

    /// Creates the part that is all below a child of a part's page.
    init(_ page: UInt32, below part: Subtree, _ lower: TreeEntry?, _ upper: TreeEntry?) {
        (self.page, parent, depth) = (page, part.page, part.depth + 1)
        (self.lower, self.upper) = (lower, upper)
    }

    /// Divides a tree.
    /// - Parameter wanted: how many parts there should be at least; a small tree has fewer.
    /// - Throws: ``FileDamage``.
    public static func parts(
        of root: UInt32, in file: DatabaseFile, atLeast wanted: Int
    ) throws(FileDamage) -> [Subtree] {
        var (done, open) = ([Subtree](), [Subtree(root)])
        var isDivided = true
        while open.count < wanted, isDivided {
            isDivided = false
            var below: [Subtree] = []
            for part in open {
                let page = try file.treePage(part.page)
                guard !page.kind.isLeaf, part.depth < TreeCheck.maxDepth else {
                    below.append(part)
                    continue
                }
                isDivided = true
                var single = part
                single.isOnePage = true
                done.append(single)
                var lower = part.lower
                for index in 0...page.cellCount {
                    let upper = index < page.cellCount ? try page.entry(index) : part.upper
                    below.append(Subtree(try page.child(index), below: part, lower, upper))
                    lower = upper
                }
                guard done.count + below.count <= Int(file.pageCount) else {
                    throw FileDamage(part.page, .pageUsedTwice)
                }
            }
            open = below
        }
        return done + open
    }
}
