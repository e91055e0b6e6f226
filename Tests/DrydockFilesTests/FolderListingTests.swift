import DrydockFindings
import Testing

@testable import DrydockFiles
@testable import DrydockTestSupport

@Suite struct FolderListingTests {
    @Test func aFolderThatIsNotOneIsNamed() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("file", "")
        func fault(_ path: String) throws -> RequestError {
            try #require(throws: RequestError.self) { try FolderListing.files(in: path) }
        }
        #expect(try fault(file).description == "'\(file)' is a file, not a folder")
        #expect(try fault(file + "s").description == "there is no folder '\(file)s'")
    }

    @Test func hiddenFilesAreListedWhereTheyAreAskedFor() throws {
        let folder = try TemporaryFolder()
        for name in [".a", "b"] { try folder.write(name, "") }
        #expect(try FolderListing.files(in: folder.path) == ["b"])
        #expect(try Set(FolderListing.files(in: folder.path, withHidden: true)) == [".a", "b"])
    }
}
