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
        ("900132782003515253545541424344453132333435212223242500100435301537022065520001", .zwave),
        ("Z:8CF681FFFE0313AC$I:2CF681FFFE0313AC2CF6$M:1234", .zigbee),
        ("HUE:Z:8CF681FFFE0313AC M:001788010A2B3C4D D:L3B A:1184", .zigbee),
        ("https://smartapp.tuya.com/s/p?p=abc&uuid=1&v=2.0", .tuya),
        ("[Interface]\nPrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=", .wireguard),
        ("FIDO:/1234567890123456", .passkey),
        ("3mid:ABCDEFGH,0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", .messenger),
        ("sgnl://linkdevice?uuid=1&pub_key=x", .messenger),
        ("BCD\n002\n1\nSCT\nBPOTBEB1\nRed Cross\nBE72000000001616\nEUR1", .payment),
        ("BCD\r\n001\r\n1", .payment), ("SPC\r\n0200\r\n1\r\nCH4431999123000889012", .payment),
        ("00020126580014br.gov.bcb.pix0136", .payment), ("bitcoin:1BoatSLRHtKNngkdXEe", .payment),
        ("HC1:6BFOXN%TS3DH0YOJ58S S-W5HDC *M0II5XHC9B5G2", .certificate),
        ("BEGIN:VEVENT\nSUMMARY:Tea\nEND:VEVENT", .event), ("geo:52.5,13.4", .place),
        ("SMSTO:+491234:hello", .message), ("tel:+491234", .message),
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
        "https://login.tailscale.com.example/a", "see MT:Y.K9042C00KA0648G00", "BCD", "BCDEF",
        "90013278200351525354554142434445313233343521222", "telephone", "[interfaces]",
        "MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWA1",
        "MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY", "\u{0}MT:", "\u{FFFD}",
    ])
    func `any other text is for nothing known`(text: String) {
        #expect(ForeignCode(payload: Array(text.utf8)) == nil)
    }

    /// Also where letters and digits behind a colon are as many as in a pairing code.
    @Test func `a picture of it is another code, no damaged one`() {
        let text = "3mid:ABCDEFGH,0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
        #expect(CodeContent(payload: Array(text.utf8)) == .other)
    }

    @Test func `no bytes trap`() {
        for length in 0..<100 {
            #expect(ForeignCode(payload: [UInt8](repeating: 0x80, count: length)) == nil)
            #expect(ForeignCode(payload: [UInt8](repeating: 0x2D, count: length)) == nil)
        }
    }
}
