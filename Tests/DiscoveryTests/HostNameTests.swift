import Addresses
import Testing

@Suite struct HostNameTests {
    @Test(arguments: [
        "hub", "h", "Kitchen-2.local", "3com.example", "1.2.3.example", "a-", "_hestia._tcp.local",
        String(repeating: "a", count: 63), String(repeating: "a.", count: 126) + "a",
    ])
    func accepted(text: String) {
        #expect(HostName.isValid(text))
        #expect(HostName.isValid(text[...]))
    }

    @Test(arguments: [
        "", ".", "-hub", "a.-b", "a..b", ".hub", "hub.", "1", "1.2.3", "192.0.2.7", "hub.1", "::1", "hüb",
        "a b", "hub\n", "hub:8000", "user@hub", "hub/", String(repeating: "a", count: 64),
        String(repeating: "a.", count: 126) + "ab",
    ])
    func rejected(text: String) {
        #expect(!HostName.isValid(text))
    }

    @Test func ownNameIsOneLabel() {
        #expect(!HostName.own().contains("."))
    }
}
