import Pairing
import Testing

/// The exchange and the session of a browser, as the implementation in Python writes them.
@Suite struct BrowserVectorTests {
    struct Accepted: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let kind: String
        let text: String
        let hub: String
        let device: String
        let spki: String
        let message: String?
        var testDescription: String { name }
    }

    static let vectors = Vectors<Accepted>.read("browsers")

    @Test(arguments: vectors.accepted)
    func accepted(vector: Accepted) throws {
        let (body, hub) = (Array(vector.text.utf8), try #require(Pin(bytes: bytes(hex: vector.hub))))
        guard vector.kind == "session" else {
            let proof = try #require(try BrowserProof(parsing: body))
            #expect(proof.key.pin.bytes == bytes(hex: vector.device))
            #expect(proof.key.hasSigned(bytes(hex: try #require(vector.message)), proof.signature))
            return
        }
        let request = try SessionRequest(parsing: body)
        #expect(request.key.bytes == bytes(hex: vector.spki))
        #expect(request.key.pin.bytes == bytes(hex: vector.device))
        #expect(request.isSigned(for: hub) == (vector.message != nil))
        guard let answer = request.answer, let message = vector.message else { return }
        let signed = SessionRequest.message(hub: hub, device: request.key.pin, challenge: answer.challenge)
        #expect(signed == bytes(hex: message))
        #expect(!request.isSigned(for: request.key.pin), "for another hub")
    }

    @Test(arguments: vectors.rejected)
    func rejected(vector: Vectors<Accepted>.Rejected) throws {
        let error = try #require(throws: PairMessageError.self) {
            try SessionRequest(parsing: Array(vector.text.utf8))
        }
        switch error {
        case .tooLarge: #expect(vector.error == "too-large")
        case .malformed: #expect(vector.error == "malformed")
        case .name: Issue.record("there is no name")
        }
    }

    @Test func aProgramsRequestHasNoKey() throws {
        #expect(try BrowserProof(parsing: Array("{}".utf8)) == nil)
        #expect(try BrowserProof(parsing: Array("nonsense".utf8)) == nil)
        #expect(try BrowserProof(parsing: Array(#"{"key": null}"#.utf8)) == nil)
        #expect(throws: PairMessageError.self) { try BrowserProof(parsing: Array(#"{"key": "x"}"#.utf8)) }
    }
}
