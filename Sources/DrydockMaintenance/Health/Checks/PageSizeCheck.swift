import DrydockFiles
import DrydockFindings

/// The check `page-size`: the database's pages are smaller than the file system's blocks.
struct PageSizeCheck: HealthCheck {
    let text = HealthCheckText(
        .pageSize, "a page is smaller than a block of the file system",
        why: "To write one page, the file system reads and writes a whole block.")

    func check(_ view: HealthView) throws -> HealthResult {
        let size = view.file.header.pageSize
        // Some network file systems return transfer sizes, which are not blocks.
        guard view.file.pageCount > 0, let block = DiskSpace.blockSize(of: FolderListing.realPath(view.path)),
            block <= 65536,
            size < block
        else { return HealthResult() }
        return HealthResult([
            finding(
                .note, "pages have \(size) bytes, blocks of the file system \(block)",
                help: """
                    In a rollback journal mode, at a quiet time:
                      PRAGMA page_size = \(block); VACUUM;
                    """)
        ])
    }
}
