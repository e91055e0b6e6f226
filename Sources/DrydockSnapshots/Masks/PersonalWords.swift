import DrydockProbes

/// Words in the names of columns that are about people or secrets, in several languages.
enum PersonalWords {
    private static let all: [String] = """
        name firstname lastname surname fullname nickname nick maiden mother father parent spouse child username displayname vorname nachname nom prenom nombre apellido
        nome cognome voornaam achternaam owner author customer contact kontakt person user login
        email mail phone telephone tel mobile cell fax telefon telefono handy rufnr rufnummer
        address addr street city town zip postcode postal adresse anschrift strasse ort plz ville rue calle ciudad
        born birth birthday birthdate dob geburtstag geburtsdatum gebdat geburt age gender sex geschlecht religion
        ssn passport license licence ausweis personalausweis nif cpf
        iban bic swift card cvv cvc account konto kdnr kundennr salary income gehalt
        password passwd pwd passwort kennwort secret token salt pin tan otp apikey
        ip latitude longitude lat lon lng location diagnosis diagnose disease krankheit medication
        note notes comment message kommentar nachricht notiz bemerkung
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// Returns the word in a name that says that it is about a person: `sender_email` has `email`.
    static func first(in column: String) -> String? {
        let parts = ColumnKind.words(column).map { $0.filter(\.isLetter) }
        let joined = parts.joined()
        return all.first { parts.contains($0) || joined == $0 }
    }
}
