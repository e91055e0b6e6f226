import DatabaseEngine
import Drydock
import SQLiteSchema

/// Lints projects, and shows what was found.
extension LanguageServer {
    /// Lints a project, and gives up a run that has become old.
    func schedule(_ key: String, after pause: Duration = .zero) {
        guard var project = projects[key] else { return }
        project.task?.cancel()
        project.stop.set()
        project.generation += 1
        project.stop = StopFlag()
        let generation = project.generation
        project.task = Task {
            if pause > .zero { try? await Task.sleep(for: pause) }
            guard !Task.isCancelled else { return }
            await self.lint(key, generation)
        }
        projects[key] = project
    }

    private func lint(_ key: String, _ generation: Int) async {
        guard let project = projects[key], project.generation == generation else { return }
        let linter = project.linter(stop: project.stop)
        let outcome: Result<LintOutcome, RequestError>
        do {
            outcome = .success(
                try await linter.run(project.project.request, edited: texts(of: key), cache: project.cache))
        } catch let error as RequestError {
            outcome = .failure(error)
        } catch let error as EngineError {
            outcome = .failure(RequestError(.init(error), error.description))
        } catch is CancellationError {
            // Newer texts are being linted.
            return
        } catch {
            outcome = .failure(RequestError(.other, "\(error)"))
        }
        guard projects[key]?.generation == generation, !project.stop.value else { return }
        projects[key]?.result = LintResult(generation: generation, outcome: outcome)
        show(outcome, of: key)
    }

    /// Returns the texts of a project's open documents, by path.
    func texts(of key: String) -> [String: [UInt8]] {
        documents.values.reduce(into: [:]) { texts, document in
            if document.project == key, let name = document.name { texts[name] = document.text.bytes }
        }
    }

    /// Returns the result for the texts as they are now.
    func currentOutcome(of key: String) async throws -> LintOutcome {
        while let project = projects[key] {
            if let result = project.result, result.generation == project.generation {
                return try result.outcome.get()
            }
            try Task.checkCancellation()
            guard let task = project.task else { break }
            await task.value
            // A run that ended without a result was replaced by another one.
            await Task.yield()
            if projects[key]?.generation == project.generation,
                projects[key]?.result?.generation != project.generation
            {
                break
            }
        }
        throw CancellationError()
    }

    // MARK: - Diagnostics

    func publish(_ uri: String, _ version: Int?, _ diagnostics: [JSONValue]) {
        var params: [String: JSONValue] = ["uri": .string(uri), "diagnostics": .array(diagnostics)]
        if let version { params["version"] = .int(version) }
        notify("textDocument/publishDiagnostics", .object(params))
    }

    private func show(_ outcome: Result<LintOutcome, RequestError>, of key: String) {
        let builder = DiagnosticBuilder(encoding: encoding) { self.file($0) }
        let open = documents.values.filter { $0.project == key }.sorted { $0.uri < $1.uri }
        switch outcome {
        case .success(let outcome):
            for document in open {
                publish(document.uri, document.text.version, diagnostics(of: document, outcome, builder))
            }
            showSettings(outcome, key, builder, besides: Set(open.compactMap(\.name)))
        case .failure(let error):
            let text = error.quote.isEmpty ? error.description : error.description + "\n" + error.quote
            for document in open where document.name.map(isSQL) ?? false {
                let diagnostic = builder.diagnostic(
                    "not linted: \(text)", error.reason.rawValue, severity: .error, in: document.text)
                publish(document.uri, document.text.version, [diagnostic])
            }
        }
    }

    private func isSQL(_ name: String) -> Bool { name.lowercased().hasSuffix(".sql") }

    private func diagnostics(
        of document: OpenDocument, _ outcome: LintOutcome, _ builder: DiagnosticBuilder
    ) -> [JSONValue] {
        let findings = outcome.report.findings.filter { $0.place?.file == document.name }
        var diagnostics = findings.map { builder.diagnostic($0, in: document.text, outcome) }
        if let name = document.name, outcome.unlinted.contains(name) {
            let reasons = outcome.report.notChecked.map(\.reason)
            diagnostics.append(
                builder.diagnostic(
                    "not linted: an earlier migration does not run"
                        + (reasons.first.map { " (\($0))" } ?? ""), Rule.nothingVerified.rawValue,
                    severity: .note, in: document.text))
        }
        return diagnostics
    }

    /// Shows findings about drydock.yml itself.
    private func showSettings(
        _ outcome: LintOutcome, _ key: String, _ builder: DiagnosticBuilder, besides open: Set<String>
    ) {
        let findings = outcome.report.findings.filter { finding in
            finding.place.map { PathParts.name(of: $0.file) == "drydock.yml" } ?? false
        }
        var shown: Set<String> = []
        for (path, findings) in Dictionary(grouping: findings, by: { $0.place?.file ?? "" }) {
            guard let (uri, text) = file(DocumentURI.absolute(path)) else { continue }
            shown.insert(uri)
            publish(uri, nil, findings.map { builder.diagnostic($0, in: text, outcome) })
        }
        for uri in projects[key]?.published.subtracting(shown) ?? [] { publish(uri, nil, []) }
        projects[key]?.published = shown
    }

    /// Returns the URI and the text of a file: the editor's, or those of the disk.
    nonisolated func fileOnDisk(_ path: String) -> (uri: String, text: TextDocument)? {
        guard let bytes = try? FolderListing.contents(of: path, limit: MessageFramer.lengthLimit) else {
            return nil
        }
        // Editors do not count a byte order mark.
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes[3...]) : bytes
        return (DocumentURI.uri(path), TextDocument(bytes: text))
    }

    func file(_ path: String) -> (uri: String, text: TextDocument)? {
        if let document = documents.values.first(where: { $0.name == path || $0.path == path }) {
            return (document.uri, document.text)
        }
        return fileOnDisk(path)
    }
}
