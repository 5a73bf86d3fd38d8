import HubClient
import Testing

@Suite struct ForeignCodeTests {
    @Test(arguments: [
        ("MT:Y.K9042C00KA0648G00", ForeignCode.matter), ("mt:y.k9042c00ka0648g00", .matter),
        ("X-HM://0023ISYWYNPDP", .homekit), ("WIFI:T:WPA;S:Attic;P:secret;;", .wifi), ("wifi:S:a;;", .wifi),
        ("DPP:C:81/1;K:MDkwEwYHKoZIzj0CAQ;;", .wifi),
        ("otpauth://totp/Example:anna?secret=JBSWY3DPEHPK3PXP", .password),
        ("otpauth-migration://offline?data=CjEKCkhlbGxv", .password),
        ("https://login.tailscale.com/a/12ab34cd", .tailscale),
        ("MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD", .syncthing),
        ("BEGIN:VCARD\nFN:Anna\nEND:VCARD", .contact), ("LPA:1$smdp.example$04386-AGYFT", .sim),
    ])
    func `what a code is for is told by its text`(text: String, kind: ForeignCode) throws {
        #expect(ForeignCode(payload: Array(text.utf8)) == kind)
        #expect(kind.name.hasPrefix("a "))
        #expect(throws: ScannedCodeError.known(kind)) { try ScannedCode(text: text) }
        let error = ScannedCodeError.known(kind)
        #expect(error.description == "this is \(kind.name): \(kind.purpose)")
    }

    @Test(arguments: [
        "", "MT", "X-HM", "WIFI", "https://example.com/login.tailscale.com/", "http://login.tailscale.com/",
        "https://login.tailscale.com.example/a", "see MT:Y.K9042C00KA0648G00",
        "MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWA1",
        "MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY", "\u{0}MT:", "\u{FFFD}",
    ])
    func `any other text is for nothing known`(text: String) {
        #expect(ForeignCode(payload: Array(text.utf8)) == nil)
    }

    @Test func `no bytes trap`() {
        for length in 0..<100 {
            #expect(ForeignCode(payload: [UInt8](repeating: 0x80, count: length)) == nil)
            #expect(ForeignCode(payload: [UInt8](repeating: 0x2D, count: length)) == nil)
        }
    }
}
