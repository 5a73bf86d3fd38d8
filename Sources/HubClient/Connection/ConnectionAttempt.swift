import FoundationEssentials
package import Identity
import NIOCore
import NIOSSL
import Pairing
import PinnedTLS
import Synchronization

/// The key that the peer of a connection must have.
package enum ExpectedPeer: Hashable, Sendable {
    /// The key with this pin. A peer with another key receives only the first handshake message.
    case pin(Pin)
    /// The key with this fingerprint: 80 bits of its pin, too many to generate a second key with the same
    /// ones.
    case fingerprint(Fingerprint)
    /// Any key: to learn which it is, or because a later proof covers the key.
    case any
}

/// One attempt to connect: its channel, which can be closed at any moment, and what it learns about the peer.
final class ConnectionAttempt: Sendable {
    private struct State {
        var channel: (any Channel)?
        var handler: NIOLoopBound<HTTPClientHandler>?
        var isConnected = false
        /// Why it was ended.
        var abandoned: HubConnectionError.Reason?
        var pin: Pin?
        var statement: KeyStatement?
        var rejection: HubConnectionError.Reason?
    }

    private let state = Mutex(State())

    /// The pin of the peer's key; nil before its certificate was received.
    var pin: Pin? { state.withLock { $0.pin } }
    /// How one key of a hub names another one, if the peer's certificate says so; whose they are is not
    /// checked.
    var statement: KeyStatement? { state.withLock { $0.statement } }
    /// Why the peer's key was refused.
    var rejection: HubConnectionError.Reason? { state.withLock { $0.rejection } }

    /// Why it was ended from this side. A channel that is closed while it connects only says that it is
    /// closed.
    var abandoned: HubConnectionError.Reason? { state.withLock { $0.abandoned } }

    /// What is waited for now: the TCP connection, or the handshake over it.
    var wait: HubConnectionError.Wait { state.withLock { $0.isConnected ? .handshake : .connection } }

    /// The TCP connection stands.
    func noteConnected() { state.withLock { $0.isConnected = true } }

    /// The handler for requests; usable once the handshake is complete.
    var handler: NIOLoopBound<HTTPClientHandler>? { state.withLock { $0.handler } }

    func attach(_ channel: any Channel, _ handler: HTTPClientHandler) throws {
        let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        try state.withLock {
            guard $0.abandoned == nil else { throw HubConnectionError.Reason.closed }
            $0.channel = channel
            $0.handler = bound
        }
    }

    /// Ends the attempt at any stage.
    func abandon(_ handshake: EventLoopPromise<Void>, _ reason: HubConnectionError.Reason) {
        handshake.fail(reason)
        let channel = state.withLock {
            $0.abandoned = $0.abandoned ?? reason
            return $0.channel
        }
        channel?.close(promise: nil)
    }

    /// Compares the pin of the leaf certificate's key. TLS itself proves that the peer holds the private key
    /// (RFC 8446 § 4.4.3). Names, dates and issuers are ignored. Another key is as good as the expected one
    /// if that one names it, in time.
    func check(
        _ certificates: [NIOSSLCertificate], expecting peer: ExpectedPeer, at now: Date = Date()
    ) -> Bool {
        state.withLock {
            guard let leaf = certificates.first, let key = Pin(leaf) else {
                $0.rejection = .unreadableKey
                return false
            }
            $0.pin = key
            $0.statement = (try? leaf.toDERBytes()).flatMap { KeyStatement(inCertificate: $0) }
            switch peer {
            case .pin(let expected):
                if key == expected { return true }
                if let named = $0.statement, named.old == expected, named.new == key {
                    guard now < named.until else {
                        $0.rejection = .laterKey(
                            expected: expected.fingerprint, seen: key, over: named.until)
                        return false
                    }
                    return true
                }
                $0.rejection = .otherKey(expected: expected.fingerprint, seen: key)
            case .fingerprint(let expected) where key.fingerprint != expected:
                $0.rejection = .otherKey(expected: expected, seen: key)
            case .fingerprint, .any: return true
            }
            return false
        }
    }
}

/// Detects a server that does not speak TLS: a TLS server's first byte is that of a handshake or alert record
/// (RFC 8446 § 5.1).
final class FirstByte: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let byte = unwrapInboundIn(data).readableBytesView.first else { return }
        guard byte == 0x16 || byte == 0x15 else {
            context.fireErrorCaught(HubConnectionError.Reason.notTLS)
            return
        }
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
