import Addresses
import CGlibc
import CMosquitto
import Glibc
import HubService
import Synchronization

/// The connection to a broker: a thread that has libmosquitto's client to itself, begins again whenever the
/// connection ends, and carries out what others want.
final class MQTTLink: Sendable {
    enum Wish: Sendable {
        case subscribe(String)
        case unsubscribe(String)
        case publish(MQTTOrder.Message)
        /// Calls ``Listener/reached(_:)`` once the broker has answered all that was wished before.
        case mark(Int)
    }

    /// What the thread tells; all of it is called there. What is returned is carried out next.
    struct Listener: Sendable {
        let connected: @Sendable () -> [Wish]
        let took: @Sendable (_ topic: String, _ payload: [UInt8]) -> [Wish]
        let reached: @Sendable (_ mark: Int) -> [Wish]
        /// - Returns: how many milliseconds to wait before the next try.
        let ended: @Sendable (_ words: String, _ isRefused: Bool) -> Int32
    }

    private struct State {
        var wishes: [Wish] = []
        var isOver = false
    }

    private let state = Mutex(State())
    private let wakeUp: Int32

    /// - Returns: nil if there is no thread or no descriptor left.
    init?(_ server: JoinedServer, _ listener: Listener) {
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeUp >= 0 else { return nil }
        let thread = MQTTThread(server, self, listener)
        // All signals are for the program's own threads.
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var handle = pthread_t()
        let argument = Unmanaged.passRetained(thread)
        let status = pthread_create(
            &handle, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<MQTTThread>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, argument.toOpaque())
        guard status == 0 else {
            argument.release()
            return nil
        }
        pthread_detach(handle)
    }

    deinit { if wakeUp >= 0 { close(wakeUp) } }

    func wish(_ wishes: [Wish]) {
        state.withLock { $0.wishes += wishes }
        wake()
    }

    /// Ends the connection; the thread ends soon afterwards.
    func stop() {
        state.withLock { $0.isOver = true }
        wake()
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(wakeUp, &one, MemoryLayout.size(ofValue: one))
    }

    fileprivate var isOver: Bool { state.withLock(\.isOver) }

    fileprivate func next() -> [Wish] {
        state.withLock { state in
            defer { state.wishes = [] }
            return state.wishes
        }
    }

    /// What nobody can carry out any more.
    fileprivate func forget() { state.withLock { $0.wishes = [] } }

    /// Waits until the socket is ready, or somebody wakes the thread.
    ///
    /// - Returns: the events at the socket.
    fileprivate func wait(_ socket: Int32, _ events: Int32, milliseconds: Int32) -> Int32 {
        var both = [
            pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(events), revents: 0),
        ]
        // A negative descriptor is passed over.
        guard poll(&both, 2, milliseconds) > 0 else { return 0 }
        if both[0].revents != 0 {
            var count: UInt64 = 0
            _ = read(wakeUp, &count, MemoryLayout.size(ofValue: count))
        }
        return Int32(both[1].revents)
    }
}

/// The thread of a link: nothing of it is used by another.
private final class MQTTThread {
    private static let keepAlive: Int32 = 30
    /// POLLRDHUP of poll(2), which glibc's headers do not show to Swift.
    private static let peerHasEnded: Int32 = 0x2000
    /// What a thing says in fewer bytes is read.
    private static let payloadByteCount = 65_536
    /// The most of what the broker has not answered: to one that does not read, no more is written.
    private static let maximumOpen = 20_000

    private let server: JoinedServer
    private let link: MQTTLink
    private let listener: MQTTLink.Listener
    private var due: [MQTTLink.Wish] = []
    /// The marks that wait for the answer to a message of this number.
    private var marks: [Int32: Int] = [:]
    private var open = 0
    private var end: (words: String, isRefused: Bool)?

    init(_ server: JoinedServer, _ link: MQTTLink, _ listener: MQTTLink.Listener) {
        (self.server, self.link, self.listener) = (server, link, listener)
    }

    func run() {
        while !link.isOver {
            (due, marks, open, end) = ([], [:], 0, nil)
            link.forget()
            let words = converse()
            if link.isOver { return }
            let pause = listener.ended(end?.words ?? words, end?.isRefused ?? false)
            _ = link.wait(-1, 0, milliseconds: pause)
        }
    }

    /// - Returns: why it is over.
    private func converse() -> String {
        let library: MosquittoLibrary
        do {
            library = try MosquittoLibrary.load()
        } catch {
            return "the library libmosquitto is missing: \(error.words)"
        }
        let all = library.functions
        let itself = Unmanaged.passUnretained(self).toOpaque()
        guard let client = all.mosquitto_new(nil, true, itself) else { return "there is no memory left" }
        defer { all.mosquitto_destroy(client) }
        // Not MQTT 5: libmosquitto 2.0 ends the program at properties that it does not know.
        _ = all.mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V311)
        if let login = server.login {
            _ = all.mosquitto_username_pw_set(client, login.name, login.password)
        }
        listen(all, client)
        var code = Int32(MOSQ_ERR_NO_CONN.rawValue)
        for address in server.url.addresses {
            code = all.mosquitto_connect_bind_v5(
                client, address.description, Int32(server.url.port), MQTTThread.keepAlive, nil, nil)
            if code == MOSQ_ERR_SUCCESS.rawValue { break }
        }
        var gauge = MQTTGauge()
        while code == MOSQ_ERR_SUCCESS.rawValue, end == nil {
            if link.isOver {
                _ = all.mosquitto_disconnect(client)
                return "it has left the house"
            }
            let socket = all.mosquitto_socket(client)
            guard socket >= 0 else { return "the connection has ended" }
            let events = POLLIN | MQTTThread.peerHasEnded | (all.mosquitto_want_write(client) ? POLLOUT : 0)
            let ready = link.wait(socket, events, milliseconds: 1000)
            if ready & ~POLLOUT != 0 {
                let ends = MQTTThread.peerHasEnded | POLLHUP | POLLERR
                switch gauge.look(at: socket, isEnding: ready & ends != 0) {
                case .read: code = all.mosquitto_loop_read(client, 1)
                case .wait: break
                case .refuse: return "it sends what was not asked for"
                }
            }
            carryOut(all, client)
            if code == 0, ready & POLLOUT != 0 { code = all.mosquitto_loop_write(client, 1) }
            if code == 0 { code = all.mosquitto_loop_misc(client) }
        }
        return code == MOSQ_ERR_ERRNO.rawValue
            ? String(cString: strerror(errno)).lowercased() : library.words(code)
    }

    private func carryOut(_ all: hubpair_mosquitto, _ client: OpaquePointer) {
        due += link.next()
        while !due.isEmpty, end == nil {
            let wishes = due
            due = []
            for wish in wishes {
                guard open < MQTTThread.maximumOpen else {
                    end = ("it does not answer what it is asked", false)
                    return
                }
                switch wish {
                case .subscribe(let topic):
                    open += all.mosquitto_subscribe(client, nil, topic, 0) == 0 ? 1 : 0
                case .unsubscribe(let topic): _ = all.mosquitto_unsubscribe(client, nil, topic)
                case .publish(let message):
                    _ = all.mosquitto_publish(
                        client, nil, message.topic, Int32(message.payload.count), message.payload, 0, false)
                case .mark(let mark):
                    var number: Int32 = 0
                    guard all.mosquitto_subscribe(client, &number, MQTTModel.greeting, 0) == 0 else {
                        continue
                    }
                    open += 1
                    marks[number] = mark
                }
            }
        }
    }

    private func listen(_ all: hubpair_mosquitto, _ client: OpaquePointer) {
        all.mosquitto_connect_callback_set(client) { _, thread, code in
            MQTTThread.with(thread) { thread in
                switch code {
                case 0: thread.due += thread.listener.connected()
                // A bad name or password, and one that may not come in.
                case 4, 5: thread.end = ("it does not take this name and password", true)
                case 1: thread.end = ("it does not speak MQTT 3.1.1", true)
                default: thread.end = ("it refuses (\(code))", false)
                }
            }
        }
        all.mosquitto_message_callback_set(client) { _, thread, message in
            guard let message = message?.pointee, let topic = message.topic,
                message.payloadlen <= MQTTThread.payloadByteCount
            else { return }
            MQTTThread.with(thread) { thread in
                let bytes = message.payload.map {
                    UnsafeRawBufferPointer(start: $0, count: Int(max(0, message.payloadlen)))
                }
                guard let topic = String(validatingCString: topic) else { return }
                thread.due += thread.listener.took(topic, bytes.map(Array.init) ?? [])
            }
        }
        all.mosquitto_subscribe_callback_set(client) { _, thread, number, _, _ in
            MQTTThread.with(thread) { thread in
                thread.open -= 1
                guard let mark = thread.marks.removeValue(forKey: number) else { return }
                thread.due += thread.listener.reached(mark)
            }
        }
        all.mosquitto_disconnect_callback_set(client) { _, thread, code in
            MQTTThread.with(thread) { thread in
                if code != 0, thread.end == nil { thread.end = ("the connection has ended", false) }
            }
        }
    }

    private static func with(_ thread: UnsafeMutableRawPointer?, _ body: (MQTTThread) -> Void) {
        guard let thread else { return }
        body(Unmanaged<MQTTThread>.fromOpaque(thread).takeUnretainedValue())
    }
}
