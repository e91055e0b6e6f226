import Drydock
import SQLiteSchema

/// Answers what the editor asks about a place.
extension LanguageServer {
    func hover(at place: DocumentPlace) async throws -> JSONValue {
        guard let context = try await context(at: place) else { return .null }
        return HoverBuilder(
            context: context, offset: place.offset, encoding: encoding, text: place.document.text
        ).hover()
    }

    func definition(at place: DocumentPlace) async throws -> JSONValue {
        guard let context = try await context(at: place),
            let name = NameAtCursor(context, offset: place.offset)
        else { return .null }
        let builder = DiagnosticBuilder(encoding: encoding) { self.file($0) }
        let locations = name.meanings.compactMap { meaning -> JSONValue? in
            switch meaning {
            case .object(let object):
                context.origin(object.type, object.name).flatMap {
                    builder.location(of: $0, naming: object.name)
                }
            case .column(let column, let table):
                (context.origin(column: column, of: table.name) ?? context.origin("table", table.name))
                    .flatMap {
                        builder.location(of: $0, naming: column)
                    }
            }
        }
        return locations.isEmpty ? .null : .array(locations)
    }

    func codeActions(of uri: String, _ range: TextRange, _ kinds: [String]?) async throws -> JSONValue {
        if let kinds, !kinds.contains(where: { $0 == "quickfix" || $0.isEmpty }) { return [] }
        guard let document = documents[uri] else {
            throw RPCError(.invalidParams, "the document is not open")
        }
        guard let key = document.project, let name = document.name else { return [] }
        let outcome = try await currentOutcome(of: key)
        // Edits are of the text that was linted, which the client has only if nothing came after.
        guard let now = documents[uri], now.text.bytes == document.text.bytes else {
            throw RPCError(.requestCancelled, "the document has changed")
        }
        let builder = CodeActionBuilder(
            encoding: encoding, document: now, name: name, outcome: outcome,
            diagnostics: DiagnosticBuilder(encoding: encoding) { self.file($0) },
            takesVersions: client.takesVersions)
        return .array(builder.actions(in: range))
    }

    /// Returns the schema that the statement at a place meets; nil if it belongs to no migration, or is not known.
    private func context(at place: DocumentPlace) async throws -> LintContext? {
        guard let key = place.document.project, let name = place.document.name, let project = projects[key]
        else { return nil }
        let stop = StopFlag()
        let linter = project.linter(stop: stop)
        var texts = texts(of: key)
        texts[name] = place.document.text.bytes
        let edited = texts
        return try await withTaskCancellationHandler {
            try await linter.context(
                project.project.request, edited: edited, cache: project.cache, path: name,
                offset: place.offset)
        } onCancel: {
            stop.set()
        }
    }
}
