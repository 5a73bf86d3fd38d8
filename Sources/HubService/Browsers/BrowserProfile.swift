import FoundationEssentials
import Identity
import Pairing

/// A configuration profile for phones that take one (Apple, Configuration Profile Reference): the browser's
/// key, whose passphrase the phone asks for, and the hub's certificate.
package enum BrowserProfile {
    package static func bytes(_ handout: AddBrowser.Handout, name: String) -> [UInt8] {
        let hub = handout.hub.description
        let key = payload(
            "com.apple.security.pkcs12", "\(id(hub)).key", "\(name) at \(hub.name)", handout.pkcs12,
            file: "key.p12")
        return profile([key, root(handout.hubCertificate, hub)], id(hub), hub)
    }

    /// The hub's certificate alone.
    ///
    /// - Parameter pem: the upper one.
    static func bytes(certificate pem: [UInt8], of hub: HubDescription) -> [UInt8] {
        profile([root(pem, hub)], "\(id(hub)).trust", hub)
    }

    private static func id(_ hub: HubDescription) -> String { "hubpair.\(hub.id)" }

    private static func root(_ pem: [UInt8], _ hub: HubDescription) -> String {
        payload(
            "com.apple.security.root", "\(id(hub)).hub", hub.name.description, derBytes(ofPEM: pem),
            file: "hub.cer")
    }

    private static func profile(_ payloads: [String], _ id: String, _ hub: HubDescription) -> [UInt8] {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
            "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            <key>PayloadContent</key><array>
            \(payloads.joined())</array>
            <key>PayloadDisplayName</key><string>\(htmlText(hub.name.description))</string>
            <key>PayloadIdentifier</key><string>\(id)</string>
            <key>PayloadType</key><string>Configuration</string>
            <key>PayloadUUID</key><string>\(UUID().uuidString)</string>
            <key>PayloadVersion</key><integer>1</integer>
            </dict></plist>

            """
        return Array(text.utf8)
    }

    private static func payload(
        _ type: String, _ id: String, _ name: String, _ content: [UInt8], file: String
    ) -> String {
        """
        <dict>
        <key>PayloadType</key><string>\(type)</string>
        <key>PayloadIdentifier</key><string>\(id)</string>
        <key>PayloadUUID</key><string>\(UUID().uuidString)</string>
        <key>PayloadVersion</key><integer>1</integer>
        <key>PayloadDisplayName</key><string>\(htmlText(name))</string>
        <key>PayloadCertificateFileName</key><string>\(file)</string>
        <key>PayloadContent</key><data>\(Data(content).base64EncodedString())</data>
        </dict>

        """
    }
}
