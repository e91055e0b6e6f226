import ArgumentParser
import Drydock
import DrydockReport
import Foundation

/// A report to be written to a file: `FORMAT=PATH`.
struct ReportFile: ExpressibleByArgument, Equatable {
    var format: String
    var path: String

    init?(argument: String) {
        guard let (format, path) = argument.splitOnce("="), !path.isEmpty,
            ReportRenderers.named(format) != nil
        else { return nil }
        self.format = format
        self.path = path
    }

    /// - Throws: `ValidationError` that names the formats.
    static func parsed(_ argument: String) throws -> ReportFile {
        guard let file = ReportFile(argument: argument) else {
            throw fault(of: argument, formats: ReportRenderers.all.map(\.name))
        }
        return file
    }

    /// Returns what is wrong with a `FORMAT=PATH`.
    static func fault(of argument: String, formats: [String]) -> ValidationError {
        let list = formats.joined(separator: ", ")
        guard let (format, path) = argument.splitOnce("=") else {
            return ValidationError("write FORMAT=PATH, with one of these formats: \(list)")
        }
        guard formats.contains(format) else {
            return ValidationError("there is no format '\(format)'; choose one of: \(list)")
        }
        return ValidationError("no path follows '\(format)=\(path)'")
    }

    /// Refuses a path of a migration, a snapshot or the lock, since what is verified is never written, and one that
    /// cannot be written, before the work is done.
    /// - Throws: RequestError.
    func check(against request: VerifyRequest) throws {
        let target = FolderListing.realPath(path)
        if let database = SnapshotFile.database(ofSidecar: target), FolderListing.exists(database) {
            throw RequestError(
                .settingInvalid,
                "the report '\(path)' would be taken for a part of the database '\(database)'; give it another path"
            )
        }
        try checkIsWritable(target)
        guard FolderListing.exists(path) else { return }
        let folders = [
            request.command == nil ? request.migrationsFolder : nil, request.snapshotsFolder,
        ].compactMap(\.self).map(FolderListing.realPath)
        let files = (request.snapshots + [request.lock].compactMap(\.self)).map(FolderListing.realPath)
        if files.contains(target) || folders.contains(where: { target.hasPrefix($0 + "/") }) {
            throw RequestError(
                .settingInvalid,
                "the report would overwrite '\(path)', which is among what is verified; give it another path")
        }
    }

    private func checkIsWritable(_ target: String) throws {
        let folder = PathParts.folder(of: target)
        if let reason = obstacle(target, in: folder) {
            throw RequestError(.notWritable, "the report '\(path)' cannot be written: \(reason)")
        }
    }

    private func obstacle(_ target: String, in folder: String) -> String? {
        if FolderListing.isFolder(target) { return "it is a folder" }
        if FolderListing.exists(target) {
            return access(target, W_OK) == 0 ? nil : "this user may not write it"
        }
        if !FolderListing.isFolder(folder) { return "there is no folder '\(folder)'" }
        return access(folder, W_OK) == 0 ? nil : "this user may not write to '\(folder)'"
    }

    /// Replaces a regular file atomically, so that nobody reads half of it; writes into anything else.
    /// - Throws: RequestError.
    func write(_ text: String) throws {
        let target = FolderListing.realPath(path)
        do {
            let kind = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
            if kind == nil || kind == .typeRegular {
                try text.write(toFile: target, atomically: true, encoding: .utf8)
            } else {
                let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: target))
                defer { try? handle.close() }
                try handle.write(contentsOf: Data(text.utf8))
            }
        } catch {
            throw RequestError(
                .notWritable, "the report '\(path)' cannot be written: \(error.localizedDescription)")
        }
    }
}
