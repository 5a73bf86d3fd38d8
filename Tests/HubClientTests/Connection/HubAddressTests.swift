import Addresses
import HubClient
import Testing

@Suite struct HubAddressTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7:8000"), ("192.0.2.7:1", "192.0.2.7:1"), ("hub.local", "hub.local:8000"),
        ("hub.local.:65535", "hub.local.:65535"), ("[fd77::1]:8443", "[fd77::1]:8443"),
        ("[fd77::1]", "[fd77::1]:8000"), ("fd77::1", "[fd77::1]:8000"),
        ("[fe80::1%eth0]:8000", "[fe80::1%eth0]:8000"), ("fe80::1%eth0", "[fe80::1%eth0]:8000"),
        // An index of this machine's: its name, as every other source has it.
        ("[fe80::1%1]:8000", "[fe80::1%lo]:8000"), ("fe80::1%1", "[fe80::1%lo]:8000"),
        ("HestiaServer._hestia._tcp.local:8000", "HestiaServer._hestia._tcp.local:8000"),
    ])
    func accepted(text: String, canonical: String) {
        #expect(HubAddress(text)?.description == canonical)
        #expect(HubAddress(canonical)?.description == canonical)
    }

    @Test(arguments: [
        "", ":", ":8000", "hub:", "hub:0", "hub:65536", "hub:+80", "hub: 80", "hub:8000:1", "https://hub",
        "hub/", "Kitchen hub", "1.2.3", "1.2.3.4.5", "192.0.2.300", "192.0.2.7:", "[192.0.2.7]:80",
        "[hub]:80", "[fd77::1", "fd77::1]:80", "[fd77::1]80", "[fd77::1]:", "[fd77::1%eth0]", "-hub", "a..b",
        ".hub", "hub\n", "hüb", "user@hub",
        String(repeating: "a", count: 64), String(repeating: "a.", count: 130) + "a",
    ])
    func rejected(text: String) {
        #expect(HubAddress(text) == nil)
    }
}
