/// The names of the people in the sample and the texts that they write: the letters, quotes and lengths that
/// real mail has.
enum SampleText {
    static let people = [
        ("Ada Lovelace", "ada@example.com"), ("Zoë O'Neill", "zoe@example.org"),
        ("José García", "jose.garcia@example.net"), ("李小龙", "li@example.cn"),
        ("Søren \"Skipper\" Bjørk", "soeren@example.dk"), ("أمل حداد", "amal@example.com"),
        ("Nguyễn Thị Mai", "mai@example.vn"), ("Grace Hopper", "grace@example.mil"),
        ("Łukasz Żółw", "lukasz@example.pl"), ("Ναυσικά Παπά", "nafsika@example.gr"),
        ("The Harbour Office", "no-reply@harbour.example"), ("山田 花子", "hanako@example.jp"),
    ]

    static let accounts = [
        (address: "captain@drydock.example", name: "The Captain"),
        (address: "Mia.O'Hara@example.org", name: "Mia O'Hara"),
        (address: "büro@example.de", name: nil as String?),
    ]

    static let subjects = [
        "Hull inspection on Thursday", "Your berth is booked ⚓️", "Invoice 2041 – dry dock",
        "Don't forget the anchor", "\"Urgent\": keel bolts", "Grüße aus Kiel", "会議の議事録", "Lunch?",
        "Photos from the launch 🎉", "50% off antifouling_paint", "Weekly digest; unread: 7", "موعد السفينة",
        "",
    ]

    static let sentences = [
        "The survey found two soft spots below the waterline, none of them deep.",
        "We'd rather haul her out a week early than miss the tide.",
        "Could you send me the drawings again? The last ones wouldn't open.",
        "He said \"that's no leak, that's condensation\", and went home.",
        "Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen.",
        "L'hélice est réparée, mais l'arbre fait encore du bruit à 1 200 tr/min.",
        "次の満潮は午前六時です。", "Ок, до встречи на причале 🚢",
        "Paint, primer and labour come to 1,284.50 in all.",
        "Let me know whether Thursday suits you -- otherwise it'll be next month.",
    ]

    static let labels = ["Inbox", "Work", "Family", "Boats & Co", "Wichtig!", "旅行"]

    static let files = [
        ("survey.pdf", "application/pdf"), ("IMG_0042.HEIC", "image/heic"), ("Plan «C».dwg", "image/vnd.dwg"),
        ("invite.ics", "text/calendar"), ("見積書.xlsx", "application/vnd.ms-excel"),
    ]
}

/// Returns a text as an SQL literal, nil as NULL.
func literal(_ text: String?) -> String {
    guard let text else { return "NULL" }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
}

/// Returns texts as a JSON array. None may contain a character that JSON must escape.
func jsonArray(_ texts: [String]) -> String {
    "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]"
}
