import Testing

@testable import QRCodes

@Suite struct WarmUpTests {
    @Test func `the code of the warm-up is read where it fills the picture and where it is a part of one`()
        throws
    {
        let text = Array(WarmUp.text.utf8)
        #expect(try WarmUp.run().map(\.payload) == [text, text])
    }
}
