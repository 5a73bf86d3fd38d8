public import Identity

/// One attempt of a device to pair, from its nonce to the hub's proof. It is the same attempt, and may be
/// sent again, as long as secret, name, nonce and device are the same: keep the nonce on disk before the
/// first send.
public struct PairAttempt: Sendable {
    /// The code's secret.
    public let secret: TicketSecret
    /// What the device calls itself.
    public let name: PeerName
    /// The device's nonce.
    public let nonce: PairNonce
    /// The pin of the device's key.
    public let device: Pin

    /// An attempt of these parts.
    public init(secret: TicketSecret, name: PeerName, nonce: PairNonce, device: Pin) {
        self.secret = secret
        self.name = name
        self.nonce = nonce
        self.device = device
    }

    /// What to send to the hub whose key has the pin `hub` in this handshake.
    public func request(to hub: Pin) -> PairRequest {
        PairRequest(
            ticket: secret.ticketID, name: name, nonce: nonce,
            proof: transcript(hub).deviceProof(secret.proofKey))
    }

    /// Checks the reply of the hub whose key has the pin `hub` in the same handshake. Only if this returns
    /// may the hub be stored; nothing in the reply is true before.
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

/// Why a hub's reply is not believed. The description is what the user of the device reads.
public enum PairReplyError: Equatable, UserError {
    /// The hub's proof does not hold.
    case wrongProof
    /// The hub names another fingerprint than that of its TLS key.
    case otherHub(Fingerprint, seen: Fingerprint)
    /// The hub saw another device than this one.
    case otherDevice(Fingerprint, own: Fingerprint)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .wrongProof: "what answered cannot prove that it knows the code: it is not the hub that made it"
        case .otherHub(let id, let seen): "the hub calls itself \(id), but its key is that of \(seen)"
        case .otherDevice(let device, let own): "the hub saw the device \(device), but this device is \(own)"
        }
    }

    /// What a program does with it; the command's exit code follows from it.
    public var kind: UserErrorKind { .notPermitted }

    /// How to mend it, and on which side.
    public var hint: String? {
        switch self {
        case .wrongProof, .otherDevice:
            "on this device: do not trust this network, nothing was stored; on the hub: 'hubpair devices' "
                + "shows whom it let in, 'hubpair print' makes a new code"
        case .otherHub:
            "on the hub: restart hubpair, whose key and name do not fit each other; nothing was stored here"
        }
    }
}
