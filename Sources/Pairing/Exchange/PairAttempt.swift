public import Identity

/// A device's attempt to pair, from its nonce to the hub's proof.
///
/// A request may be sent again: the hub treats it as the same attempt as long as secret, name, nonce and
/// device are unchanged. So store the nonce before the first request is sent.
public struct PairAttempt: Sendable {
    /// The code's secret.
    public let secret: TicketSecret
    /// The name that the device gives itself.
    public let name: PeerName
    /// The device's nonce.
    public let nonce: PairNonce
    /// The pin of the device's key.
    public let device: Pin

    /// Creates an attempt from its parts.
    public init(secret: TicketSecret, name: PeerName, nonce: PairNonce, device: Pin) {
        self.secret = secret
        self.name = name
        self.nonce = nonce
        self.device = device
    }

    /// The request to the hub whose key has the pin `hub` in this TLS handshake.
    public func request(to hub: Pin) -> PairRequest {
        PairRequest(
            ticket: secret.ticketID, name: name, nonce: nonce,
            proof: transcript(hub).deviceProof(secret.proofKey))
    }

    /// Verifies the reply of the hub whose key has the pin `hub` in the same TLS handshake. Store the hub
    /// only if this returns; before that, nothing in the reply can be trusted.
    public func verify(_ reply: PairReply, from hub: Pin) throws(PairReplyError) {
        guard transcript(hub).hubProof(secret.proofKey, hubNonce: reply.nonce) == reply.proof else {
            throw .wrongProof
        }
        guard reply.hub.id == hub.fingerprint else { throw .otherHub(reply.hub.id, seen: hub.fingerprint) }
        guard reply.device == device.fingerprint else {
            throw .otherDevice(reply.device, own: device.fingerprint)
        }
    }

    private func transcript(_ hub: Pin) -> PairTranscript {
        PairTranscript(ticket: secret.ticketID, hub: hub, device: device, deviceNonce: nonce, name: name)
    }
}

/// Why a hub's reply is not accepted. The description is shown to the user of the device.
public enum PairReplyError: Equatable, UserError {
    /// The hub's proof does not verify: it does not know the code's secret, or a man in the middle has other
    /// keys.
    case wrongProof
    /// The reply names another fingerprint than that of the TLS key, `seen`.
    case otherHub(Fingerprint, seen: Fingerprint)
    /// The reply names another device than this one, `own`.
    case otherDevice(Fingerprint, own: Fingerprint)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .wrongProof: "what answered cannot prove that it knows the code: it is not the hub that made it"
        case .otherHub(let id, let seen): "the hub calls itself \(id), but its key is that of \(seen)"
        case .otherDevice(let device, let own):
            "the hub saw the device \(device), but this computer is \(own)"
        }
    }

    /// How a program should react; the command's exit code is derived from it.
    public var kind: UserErrorKind { .notPermitted }

    /// How to fix it, and on which side.
    public var hint: String? {
        switch self {
        case .wrongProof, .otherDevice:
            "on this computer: do not trust this network, nothing was stored; on the hub: 'hubpair devices' "
                + "shows which devices it let in, 'hubpair print' makes a new code"
        case .otherHub:
            "on the hub: restart hubpair, whose key and id do not match; nothing was stored here"
        }
    }
}
