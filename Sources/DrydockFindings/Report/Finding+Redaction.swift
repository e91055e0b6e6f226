extension Finding {
    /// The same without the values of rows: what every report shows where values are hidden. Keys stay.
    package var redacted: Finding {
        var finding = self
        finding.sentence = Sentence(sentence.withoutValues)
        if place?.quotesData == true { finding.place?.statement = nil }
        guard var evidence else { return finding }
        if evidence.areDetailsData == true { evidence.details = [] }
        for row in evidence.rows.indices {
            evidence.rows[row].before = evidence.rows[row].before?.redacted
            evidence.rows[row].after = evidence.rows[row].after?.redacted
            evidence.rows[row].values = evidence.rows[row].values?.map {
                Evidence.Cell(column: $0.column, value: $0.value.redacted)
            }
        }
        finding.evidence = evidence
        return finding
    }
}

extension Evidence.Sample {
    fileprivate var redacted: Evidence.Sample {
        var sample = self
        sample.literal = shape
        return sample
    }
}
