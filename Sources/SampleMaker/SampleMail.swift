/// One person's use of the mail client, release after release.
///
/// Each release writes the columns that its schema has, so a snapshot holds rows of every age, as a user's
/// database does: rows that an old release wrote and later migrations changed.
struct SampleMail {
    private var random: SplitMix64
    /// The time of the last email, in milliseconds since 1970.
    private var now = 1_600_000_000_000
    /// The highest id that `email` ever had, which AUTOINCREMENT makes predictable.
    private var lastEmail = 0

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// Returns the statements that a release runs while it is in use.
    ///
    /// Call it once for each version, in order.
    mutating func rows(at version: Int) -> [String] {
        var statements = version == 1 ? accounts() : []
        if version >= 3 { statements.append(labels(version)) }
        for _ in 0..<(version == 1 ? 60 : 10) {
            statements += email(version)
        }
        if version >= 2 { statements += contacts() }
        if version >= 4 { statements += drafts() }
        if version >= 10 { statements += syncs() }
        // The newest email is deleted with its video, so that AUTOINCREMENT's counter is above every id and
        // the video's pages are free.
        statements += [
            "INSERT INTO attachment(email_id, name, media_type, size, content) "
                + "VALUES (\(lastEmail), 'launch.mov', 'video/quicktime', 5000, zeroblob(5000))",
            "DELETE FROM email WHERE id = \(lastEmail) OR id % 17 = 0",
        ]
        return statements
    }

    private func accounts() -> [String] {
        SampleText.accounts.map {
            "INSERT INTO account(address, name) VALUES (\(literal($0.address)), \(literal($0.name)))"
        }
    }

    private mutating func labels(_ version: Int) -> String {
        let names = SampleText.labels + ["Release \(version)"]
        let rows = names.map {
            "(\(literal($0)), '#\(String(0x100000 + random.below(0xefffff), radix: 16))')"
        }
        return "INSERT OR IGNORE INTO label(name, color) VALUES \(rows.joined(separator: ", "))"
    }

    /// Returns an email with its attachments. Releases before the eighth sometimes stored a second copy, more
    /// often of an email with an attachment.
    private mutating func email(_ version: Int) -> [String] {
        now += 60_000 + random.below(200_000_000)
        let account = 1 + random.below(SampleText.accounts.count)
        let (_, address) = random.pick(SampleText.people)
        let sender = random.chance(10) ? address.uppercased() : address
        let subject = (random.chance(25) ? "Re: " : "") + random.pick(SampleText.subjects)
        let body = random.chance(10) ? nil : body()
        let messageID = "<\(String(random.next(), radix: 36))@\(address.drop { $0 != "@" }.dropFirst())>"

        var values = [
            ("account_id", "\(account)"),
            ("message_id", literal(random.chance(10) ? nil : messageID)),
            (version < 7 ? "sender" : "from_address", literal(sender)),
            ("subject", literal(subject)),
            ("body", literal(body)),
            ("labels", labelsOfEmail(version)),
            ("is_read", random.chance(70) ? "1" : "0"),
            ("received_at", "\(Double(now) / 1000)"),
        ]
        if version < 11 {
            values.append(("snippet", literal(body.map { String($0.prefix(60)) })))
        }
        var statements: [String] = []
        if version >= 12 {
            let topic = literal(subject.hasPrefix("Re: ") ? String(subject.dropFirst(4)) : subject)
            statements.append(
                "INSERT OR IGNORE INTO thread(account_id, subject) VALUES (\(account), \(topic))")
            let thread = "SELECT id FROM thread WHERE account_id = \(account) AND subject = \(topic)"
            values.append(("thread_id", "(\(thread))"))
        }
        let names = values.map(\.0).joined(separator: ", ")
        let insert = "INSERT INTO email(\(names)) VALUES (\(values.map(\.1).joined(separator: ", ")))"
        let attached = random.chance(30) ? attachment() : nil
        let isCopied = version < 8 && random.chance(attached == nil ? 6 : 30)
        for _ in 0..<(isCopied ? 2 : 1) {
            statements.append(insert)
            lastEmail += 1
            if let attached {
                let columns = "email_id, name, media_type, size, content"
                statements.append("INSERT INTO attachment(\(columns)) VALUES (\(lastEmail), \(attached))")
            }
        }
        return statements
    }

    private mutating func body() -> String {
        (0..<1 + random.below(3))
            .map { _ in random.pick(SampleText.sentences) + (random.chance(20) ? "\n" : " ") }
            .joined()
    }

    private mutating func labelsOfEmail(_ version: Int) -> String {
        let names = SampleText.labels.filter { _ in random.chance(25) }
        guard version >= 3 else { return literal(jsonArray(names)) }
        let list = names.map { literal($0) }.joined(separator: ", ")
        return "(SELECT json_group_array(id) FROM label WHERE name IN (\(list)))"
    }

    private mutating func attachment() -> String {
        let (name, mediaType) = random.pick(SampleText.files)
        let bytes = (0..<random.below(120)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let content = random.chance(25) ? "NULL" : "x'\(hex)'"
        return "\(literal(name)), \(literal(mediaType)), \(bytes.count), \(content)"
    }

    private mutating func contacts() -> [String] {
        (0..<3).map { _ in
            let (name, address) = random.pick(SampleText.people)
            let avatar = random.chance(50) ? "x'89504e470d0a1a0a'" : "NULL"
            return """
                INSERT INTO contact(address, name, avatar) VALUES (\(literal(address)), \(literal(name)), \(avatar))
                ON CONFLICT(address) DO UPDATE SET name = excluded.name, avatar = excluded.avatar
                """
        }
    }

    private mutating func drafts() -> [String] {
        (0..<2).map { _ in
            let account = 1 + random.below(SampleText.accounts.count)
            let recipients = (0..<random.below(4)).map { _ in random.pick(SampleText.people).1 }
            let answered =
                "(SELECT message_id FROM email WHERE account_id = \(account) ORDER BY id DESC LIMIT 1)"
            return """
                INSERT INTO draft(account_id, recipients, in_reply_to, subject, body, updated_at)
                VALUES (\(account), \(literal(jsonArray(recipients))), \(random.chance(50) ? answered : "NULL"), \
                \(literal(random.chance(30) ? nil : random.pick(SampleText.subjects))), \
                \(literal(random.pick(SampleText.sentences))), \(Double(now) / 1000))
                """
        }
    }

    private mutating func syncs() -> [String] {
        ["INBOX", "Sent", "Архив"].map { folder in
            let account = 1 + random.below(SampleText.accounts.count)
            let validity = random.chance(20) ? "NULL" : "\(now / 1000)"
            return
                "INSERT OR REPLACE INTO sync_state VALUES (\(account), \(literal(folder)), \(validity), \(lastEmail))"
        }
    }
}
