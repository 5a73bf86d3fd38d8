package import JSON

/// A name or an address of a hub, as its owner sees it: a line of `hub names --json`, and an entry of
/// `GET /hubpair/v1/names`.
///
///     {"host": string,
///      "from": "certificate" / "announced" / "machine" / "link" / "settings" / "way" / "loopback",
///      "interface": string / null, "certificate": "hub" / "installed" / null}
///
/// `certificate` says which one stands for it; null: a browser warns. Unknown keys and words are kept as they
/// are.
package struct HubNameRecord: Equatable, Sendable {
    /// An IPv6 address without brackets.
    package let host: String
    package let origin: String
    package let interface: String?
    package let certificate: String?

    package init(host: String, origin: String, interface: String? = nil, certificate: String? = nil) {
        (self.host, self.origin) = (host, origin)
        (self.interface, self.certificate) = (interface, certificate)
    }

    package var json: JSONValue {
        .object([
            "host": .string(host), "from": .string(origin), "interface": .text(interface),
            "certificate": .text(certificate),
        ])
    }
}

extension HubNameRecord: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) {
        let members = try RecordMembers(reading: &reader)
        host = try members.text("host").required("host")
        origin = try members.text("from").required("from")
        interface = try members.text("interface")
        certificate = try members.text("certificate")
    }
}
