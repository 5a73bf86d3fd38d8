import Addresses

/// Decides which of several addresses to try when: Happy Eyeballs (RFC 8305) for hubs.
///
/// A pure value: events go in, moves come out. After an address has failed, the next one is tried at once;
/// while an address does not answer, the next one is tried in parallel after a delay. Link-local addresses
/// come last.
struct AddressRace {
    enum Move: Equatable {
        /// Resolve this host name.
        case resolve(HubAddress)
        /// Connect.
        case dial(HubAddress)
        /// Call ``AddressRace/waited(_:)`` with this number after ``HubConnector/stagger``.
        case wait(Int)
        /// No address is left.
        case giveUp(HubConnectionError)
    }

    /// The maximum number of addresses that are tried for one connection.
    private static let maximumAddresses = 128

    private var unresolved: [HubAddress] = []
    private var untried: [HubAddress] = []
    private var known: Set<HubAddress> = []
    /// The names that led to addresses.
    private var names: [HubAddress: HubAddress] = [:]
    private var resolving = 0
    private var isOpen: Bool
    private let kind: AddressKind
    private var dialling = 0
    private var wait = 0
    private var isWaiting = false
    private var worst: HubConnectionError?
    private var lastDialled: HubAddress?

    /// - Parameters:
    ///   - isOpen: true while a search may find more addresses.
    ///   - kind: which addresses are tried; others are ignored.
    init(_ addresses: [HubAddress], isOpen: Bool = false, kind: AddressKind = .any) {
        self.isOpen = isOpen
        self.kind = kind
        for address in addresses { insert(address) }
    }

    /// What an address was known by before it was resolved: a name, or itself.
    func way(of address: HubAddress) -> HubAddress { names[address] ?? address }

    /// The moves to make now.
    mutating func moves() -> [Move] {
        var moves: [Move] = []
        for address in unresolved.prefix(AddressRace.maximumAddresses) {
            resolving += 1
            moves.append(.resolve(address))
        }
        unresolved = []
        if !isWaiting, !untried.isEmpty {
            let address = untried.remove(at: untried.firstIndex(where: \.isLasting) ?? 0)
            dialling += 1
            lastDialled = address
            moves.append(.dial(address))
            if !untried.isEmpty || resolving > 0 || isOpen {
                isWaiting = true
                wait += 1
                moves.append(.wait(wait))
            }
        }
        if !isOpen, resolving == 0, dialling == 0, untried.isEmpty {
            moves.append(.giveUp(worst ?? HubConnectionError(address: "", reason: .noAddress)))
        }
        return moves
    }

    /// - Parameter name: whose addresses they are.
    mutating func resolved(_ addresses: [HubAddress], of name: HubAddress? = nil) {
        resolving -= 1
        for address in addresses where insert(address) { names[address] = name }
    }

    mutating func found(_ addresses: [HubAddress]) {
        for address in addresses { insert(address) }
    }

    /// The search has ended: no more addresses will be added.
    mutating func searched() { isOpen = false }

    mutating func unresolved(_ error: HubConnectionError) {
        resolving -= 1
        note(error)
    }

    mutating func failed(_ error: HubConnectionError) {
        dialling -= 1
        isWaiting = false
        note(error)
    }

    mutating func waited(_ number: Int) {
        if number == wait { isWaiting = false }
    }

    /// The error to report at the deadline.
    func deadline() -> HubConnectionError {
        guard dialling > 0 || worst == nil, let address = lastDialled else {
            return worst ?? HubConnectionError(address: "", reason: .noAddress)
        }
        let late = HubConnectionError(address: "\(address)", reason: .timedOut(.connection))
        guard let worst, worst.weight > late.weight else { return late }
        return worst
    }

    @discardableResult
    private mutating func insert(_ address: HubAddress) -> Bool {
        if case .address(let host) = address.host, !kind.includes(host) { return false }
        guard known.count < AddressRace.maximumAddresses, known.insert(address).inserted else { return false }
        switch address.host {
        case .address: untried.append(address)
        case .name: unresolved.append(address)
        }
        return true
    }

    private mutating func note(_ error: HubConnectionError) {
        if error.weight > worst?.weight ?? -1 { worst = error }
    }
}
