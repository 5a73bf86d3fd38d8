import FoundationEssentials
import Identity

/// A configuration profile for phones that take one (Apple, Configuration Profile Reference): the browser's
/// key, whose passphrase the phone asks for, and the hub's certificate.
package enum BrowserProfile {
    package static func bytes(_ handout: AddBrowser.Handout, name: String) -> [UInt8] {
        let hub = handout.hub.settings.name.description
        let id = "hubpair.\(handout.hub.pin.fingerprint)"
        let payloads = [
            payload(
                "com.apple.security.pkcs12", "\(id).key", "\(name) at \(hub)", handout.pkcs12, file: "key.p12"
            ),
            payload(
                "com.apple.security.root", "\(id).hub", hub, derBytes(ofPEM: handout.hubCertificate),
                file: "hub.cer"),
        ].joined()
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
            "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            <key>PayloadContent</key><array>
            \(payloads)</array>
            <key>PayloadDisplayName</key><string>\(htmlText(hub))</string>
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
