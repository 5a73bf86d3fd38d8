import Crypto
import GatewayRules
import HubPage
import NIOHTTP1
import Pairing

/// How a browser comes to trust the hub: the certificate, and the steps for each system, that of the browser
/// first.
///
/// Whoever sits between could show this page with a certificate of their own. So the page says with what to
/// compare the digest, and that is on the hub's screen and not here.
struct TrustPage {
    private let name: String
    private let certificate: [UInt8]
    private let profile: [UInt8]
    /// `AB:CD:…`
    private let digest: String

    /// - Parameter pem: the hub's own certificate, the upper one.
    init(hub: HubDescription, certificate pem: [UInt8]) {
        name = hub.name.description
        certificate = derBytes(ofPEM: pem)
        profile = BrowserProfile.bytes(certificate: pem, of: hub)
        digest = SHA256.hash(data: certificate).map { $0.hexDigits(uppercase: true) }.joined(separator: ":")
    }

    func reply(_ path: TrustPath, to head: RequestHead) -> ServeReply {
        switch path {
        case .page:
            let agent = head.fields.members(named: "user-agent").joined(separator: ",")
            return ServeReply(
                .ok, page: document(for: System(agent), PageWords(for: head)), headers: PageHeaders.plain)
        case .certificate:
            return file(certificate, type: "application/x-x509-ca-cert", name: "hub.crt")
        case .profile:
            return file(profile, type: "application/x-apple-aspen-config", name: "hub.mobileconfig")
        }
    }

    private func file(_ bytes: [UInt8], type: String, name: String) -> ServeReply {
        ServeReply(
            .ok, page: bytes, type: type,
            headers: PageHeaders.plain + [("Content-Disposition", "attachment; filename=\"\(name)\"")])
    }

    /// What a browser runs on, by its own word.
    enum System: String, CaseIterable {
        case iOS = "iPhone and iPad"
        case android = "Android"
        case macOS = "Mac"
        case windows = "Windows"
        case firefox = "Firefox on a computer"
        case linux = "Chromium and Chrome on Linux"

        /// Nil if it cannot be told.
        init?(_ agent: String) {
            func has(_ word: String) -> Bool { !agent.ranges(of: word).isEmpty }
            if has("iPhone") || has("iPad") {
                self = .iOS
            } else if has("Android") {
                self = .android
            } else if has("Firefox/") {
                self = .firefox
            } else if has("Macintosh") {
                // An iPad says so too; both take the profile.
                self = .macOS
            } else if has("Windows") {
                self = .windows
            } else if has("Linux") || has("X11") {
                self = .linux
            } else {
                return nil
            }
        }

        func title(_ t: PageWords) -> String {
            switch self {
            case .iOS: t("iPhone and iPad")
            case .android, .macOS, .windows: rawValue
            case .firefox: t("Firefox on a computer")
            case .linux: t("Chromium and Chrome on Linux")
            }
        }

        func steps(_ t: PageWords) -> [String] {
            func link(_ path: TrustPath, _ text: String) -> String {
                "<a href=\"\(path.rawValue)\">\(text)</a>"
            }
            let certificate = link(.certificate, t("the certificate"))
            let profile = link(.profile, t("the profile"))
            switch self {
            case .iOS:
                return [
                    t("Load {0} in Safari, and allow it.", profile),
                    t("Settings › General › VPN & Device Management: install it."),
                    t("Settings › General › About › Certificate Trust Settings: switch it on."),
                ]
            case .android:
                return [
                    t("Load {0}.", certificate),
                    t(
                        "Settings › Security › Encryption & credentials › Install a certificate › "
                            + "CA certificate: choose it."),
                    t(
                        "Firefox asks further: Settings › About Firefox, tap its logo five times; then "
                            + "Settings › Secret Settings › Use third party CA certificates."),
                ]
            case .macOS:
                return [
                    t("Load {0} and open it.", profile),
                    t("System Settings › Privacy & Security › Profiles: install it."),
                    t(
                        "Keychain Access › System: open the certificate, and under Trust choose Always Trust "
                            + "for SSL."),
                ]
            case .windows:
                return [
                    t("Load {0} and open it: Install Certificate › Current User.", certificate),
                    t("Place it in Trusted Root Certification Authorities."),
                ]
            case .firefox:
                return [
                    t("Load {0}.", certificate),
                    t(
                        "Settings › Privacy & Security › View Certificates › Authorities › Import: "
                            + "choose it, for websites."),
                ]
            case .linux:
                return [
                    t("Load {0}.", certificate),
                    t(
                        "Settings › Privacy and security › Security › Manage certificates › Authorities › "
                            + "Import: choose it, for websites."),
                ]
            }
        }
    }

    private func document(for system: System?, _ t: PageWords) -> [UInt8] {
        let others = System.allCases.filter { $0 != system }
        let all = (system.map { [$0] } ?? []) + others
        let sections = all.map { each in
            """
            <details\(each == system ? " open" : "")><summary>\(each.title(t))</summary>
            <ol>
            \(each.steps(t).map { "<li>\($0)</li>" }.joined(separator: "\n"))
            </ol></details>
            """
        }
        let hub = "<strong dir=\"auto\">\(htmlText(name))</strong>"
        let why = t(
            "The browser warns because it does not know who has issued the certificate of {0}. The hub has "
                + "issued it itself. Once this device trusts it, the browser checks at each visit that it is "
                + "the hub that answers, and does not warn any more.", hub)
        let compare = t(
            "Somebody in between could show you a page like this one. Run {0} on the hub: the digest that it "
                + "writes must be the one that this device shows for the certificate, and not only this one "
                + "here:", "<code>hubpair hub certificate</code>")
        let limits = t(
            "The certificate can stand for names and addresses of a home alone (local, home.arpa, internal, "
                + "private and link-local addresses), and for servers alone: whoever stole the hub’s key "
                + "could not speak for other sites with it. Take it out again when you give the hub away.")
        return plainPage(
            t("Make this browser check the hub"), in: t.language,
            """
            <main class="plain">
            <h1>\(t("Make this browser check the hub"))</h1>
            <p>\(why)</p>
            <h2>\(t("Compare first"))</h2>
            <p>\(compare)</p>
            <p><code>\(digest)</code></p>
            <h2>\(t("Then"))</h2>
            \(sections.joined(separator: "\n"))
            <p class="small">\(limits)</p>
            <p class="small"><a href="\(PagePath.page.rawValue)">\(t("Back to the hub’s page"))</a></p>
            </main>
            """)
    }
}
