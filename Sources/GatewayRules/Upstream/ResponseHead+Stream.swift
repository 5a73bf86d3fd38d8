extension ResponseHead {
    /// True for server-sent events (WHATWG HTML § 9.2), which may last for ever.
    package var isEventStream: Bool {
        fields.fields.contains { field in
            isEqual(fields.name(of: field), "content-type")
                && isEqual(
                    fields.value(of: field).prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 },
                    "text/event-stream")
        }
    }
}
