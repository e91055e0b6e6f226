import Drydock
import Foundation

/// The documents of the editor.
extension LanguageServer {
    func open(_ params: JSONValue) {
        let item = params["textDocument"]
        guard let uri = item?["uri"]?.string, let text = item?["text"]?.string else { return }
        documents[uri] = OpenDocument(
            uri: uri, path: DocumentURI.path(uri),
            text: TextDocument(text, version: item?["version"]?.int ?? 0))
        join(uri)
        if let key = documents[uri]?.project { schedule(key) }
    }

    func change(_ params: JSONValue) {
        guard let uri = params["textDocument"]?["uri"]?.string, var document = documents[uri] else { return }
        for change in params["contentChanges"]?.array ?? [] {
            guard let text = change["text"]?.string else { continue }
            if let range = change["range"], !range.isNull {
                guard let range = TextRange(range) else { continue }
                document.text.replace(range, with: text, encoding)
            } else {
                document.text.replace(nil, with: text, encoding)
            }
        }
        document.text.version = params["textDocument"]?["version"]?.int ?? document.text.version
        documents[uri] = document
        if let key = document.project { schedule(key, after: pause) }
    }

    func close(_ params: JSONValue) {
        guard let uri = params["textDocument"]?["uri"]?.string,
            let document = documents.removeValue(forKey: uri)
        else { return }
        publish(uri, nil, [])
        guard let key = document.project else { return }
        if documents.values.contains(where: { $0.project == key }) {
            schedule(key)
        } else {
            leave(key)
        }
    }

    func save(_ params: JSONValue) {
        guard let uri = params["textDocument"]?["uri"]?.string else { return }
        let name = PathParts.name(of: DocumentURI.path(uri) ?? "")
        if Self.isSetting(name) || documents[uri]?.project == nil { return joinAll() }
    }

    func filesChanged(_ params: JSONValue) {
        let paths = (params["changes"]?.array ?? []).compactMap { $0["uri"]?.string }
            .compactMap(DocumentURI.path)
        // A new file may be the first migration of a project.
        let hasStrangers = documents.values.contains { $0.project == nil }
        if hasStrangers || paths.contains(where: { Self.isSetting(PathParts.name(of: $0)) }) {
            return joinAll()
        }
        for (key, project) in projects where paths.contains(where: { project.name(of: $0) != nil }) {
            schedule(key, after: pause)
        }
    }

    func foldersChanged(_ params: JSONValue) {
        let event = params["event"]
        let removed = event?["removed"]?.array?.compactMap { $0["uri"]?.string }.compactMap(DocumentURI.path)
        let added = event?["added"]?.array?.compactMap { $0["uri"]?.string }.compactMap(DocumentURI.path)
        workspaces = workspaces.filter { !(removed ?? []).contains($0) } + (added ?? [])
        joinAll()
    }

    /// Whether a file may change the options of lint, or which tool the migrations belong to.
    private static func isSetting(_ name: String) -> Bool {
        ["drydock.yml", "drydock.lock"].contains(name)
    }

    // MARK: - Projects

    /// Reads the settings of every project again.
    func joinAll() {
        for key in projects.keys { leave(key) }
        for file in faultyFiles { publish(file, nil, []) }
        faultyFiles = []
        for uri in documents.keys.sorted() { join(uri) }
        for key in projects.keys { schedule(key) }
    }

    private func leave(_ key: String) {
        guard let project = projects.removeValue(forKey: key) else { return }
        project.task?.cancel()
        project.stop.set()
        for uri in project.published { publish(uri, nil, []) }
    }

    /// Finds the project of a document.
    private func join(_ uri: String) {
        documents[uri]?.project = nil
        documents[uri]?.name = nil
        guard let path = documents[uri]?.path, !Self.isSetting(PathParts.name(of: path)) else { return }
        for (key, project) in projects {
            if let name = project.name(of: path) { return join(uri, key, name) }
        }
        do {
            let folder = PathParts.folder(of: path)
            guard let found = try finder.project(ofFolder: folder, workspaces: workspaces) else { return }
            let project = OpenProject(found)
            guard let name = project.name(of: path) else { return }
            if projects[project.realFolder] == nil { projects[project.realFolder] = project }
            join(uri, project.realFolder, name)
        } catch {
            report(error, of: uri)
        }
    }

    private func join(_ uri: String, _ key: String, _ name: String) {
        documents[uri]?.project = key
        documents[uri]?.name = name
    }

    /// Shows why the settings of a document's project cannot be used.
    private func report(_ error: any Error, of uri: String) {
        guard let error = error as? RequestError, let document = documents[uri],
            document.path?.lowercased().hasSuffix(".sql") == true
        else { return }
        let text = error.quote.isEmpty ? error.description : error.description + "\n" + error.quote
        let builder = DiagnosticBuilder(encoding: encoding) { self.file($0) }
        if let file = error.file, let (uri, text) = self.file(DocumentURI.absolute(file)) {
            faultyFiles.insert(uri)
            publish(
                uri, nil,
                [
                    builder.diagnostic(
                        error.description, error.reason.rawValue, severity: .error, line: error.line, in: text
                    )
                ])
        }
        publish(
            uri, document.text.version,
            [
                builder.diagnostic(
                    "not linted: \(text)", error.reason.rawValue, severity: .warning, in: document.text)
            ])
        notify("window/logMessage", ["type": 1, "message": .string("drydock: \(text)")])
    }
}

extension DocumentURI {
    static func absolute(_ path: String) -> String {
        standardized(path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path)
    }
}
