/// The members of a JSON object.
struct JSONMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let frame: JSONFrame
    var codingPath: [any CodingKey] { [] }

    private func begin(_ key: Key) -> JSONText {
        frame.beginMember(key.stringValue)
        return frame.text
    }

    mutating func encodeNil(forKey key: Key) { begin(key).put("null") }
    mutating func encode(_ value: Bool, forKey key: Key) { begin(key).put(value ? "true" : "false") }
    mutating func encode(_ value: String, forKey key: Key) { begin(key).write(value) }
    mutating func encode(_ value: Double, forKey key: Key) throws { try begin(key).write(value) }
    mutating func encode(_ value: Float, forKey key: Key) throws { try begin(key).write(Double(value)) }
    mutating func encode(_ value: Int, forKey key: Key) { begin(key).write(value) }
    mutating func encode(_ value: Int8, forKey key: Key) { begin(key).write(value) }
    mutating func encode(_ value: Int16, forKey key: Key) { begin(key).write(value) }
    mutating func encode(_ value: Int32, forKey key: Key) { begin(key).write(value) }
    mutating func encode(_ value: Int64, forKey key: Key) { begin(key).write(value) }
    mutating func encode(_ value: UInt, forKey key: Key) { begin(key).write(value) }
    mutating func encode(_ value: UInt8, forKey key: Key) { begin(key).write(value) }
    mutating func encode(_ value: UInt16, forKey key: Key) { begin(key).write(value) }
    mutating func encode(_ value: UInt32, forKey key: Key) { begin(key).write(value) }
    mutating func encode(_ value: UInt64, forKey key: Key) { begin(key).write(value) }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        _ = begin(key)
        try frame.encode(value, isNested: true)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        _ = begin(key)
        return frame.makeOpenFrame().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        _ = begin(key)
        return frame.makeOpenFrame().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        frame.beginMember("super")
        return frame.makeOpenFrame()
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        _ = begin(key)
        return frame.makeOpenFrame()
    }
}

/// The elements of a JSON array.
struct JSONElements: UnkeyedEncodingContainer {
    let frame: JSONFrame
    var codingPath: [any CodingKey] { [] }
    var count: Int { frame.count }

    private func begin() -> JSONText {
        frame.beginElement()
        return frame.text
    }

    mutating func encodeNil() { begin().put("null") }
    mutating func encode(_ value: Bool) { begin().put(value ? "true" : "false") }
    mutating func encode(_ value: String) { begin().write(value) }
    mutating func encode(_ value: Double) throws { try begin().write(value) }
    mutating func encode(_ value: Float) throws { try begin().write(Double(value)) }
    mutating func encode(_ value: Int) { begin().write(value) }
    mutating func encode(_ value: Int8) { begin().write(value) }
    mutating func encode(_ value: Int16) { begin().write(value) }
    mutating func encode(_ value: Int32) { begin().write(value) }
    mutating func encode(_ value: Int64) { begin().write(value) }
    mutating func encode(_ value: UInt) { begin().write(value) }
    mutating func encode(_ value: UInt8) { begin().write(value) }
    mutating func encode(_ value: UInt16) { begin().write(value) }
    mutating func encode(_ value: UInt32) { begin().write(value) }
    mutating func encode(_ value: UInt64) { begin().write(value) }

    mutating func encode<T: Encodable>(_ value: T) throws {
        frame.beginElement()
        try frame.encode(value, isNested: true)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        frame.beginElement()
        return frame.makeOpenFrame().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        frame.beginElement()
        return frame.makeOpenFrame().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        frame.beginElement()
        return frame.makeOpenFrame()
    }
}

/// A value that is neither an object nor an array, or that another value stands for.
struct JSONSingleValue: SingleValueEncodingContainer {
    let frame: JSONFrame
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil() { frame.text.put("null") }
    mutating func encode(_ value: Bool) { frame.text.put(value ? "true" : "false") }
    mutating func encode(_ value: String) { frame.text.write(value) }
    mutating func encode(_ value: Double) throws { try frame.text.write(value) }
    mutating func encode(_ value: Float) throws { try frame.text.write(Double(value)) }
    mutating func encode(_ value: Int) { frame.text.write(value) }
    mutating func encode(_ value: Int8) { frame.text.write(value) }
    mutating func encode(_ value: Int16) { frame.text.write(value) }
    mutating func encode(_ value: Int32) { frame.text.write(value) }
    mutating func encode(_ value: Int64) { frame.text.write(value) }
    mutating func encode(_ value: UInt) { frame.text.write(value) }
    mutating func encode(_ value: UInt8) { frame.text.write(value) }
    mutating func encode(_ value: UInt16) { frame.text.write(value) }
    mutating func encode(_ value: UInt32) { frame.text.write(value) }
    mutating func encode(_ value: UInt64) { frame.text.write(value) }

    mutating func encode<T: Encodable>(_ value: T) throws { try frame.encode(value, isNested: false) }
}
