import Addresses
import CGlibc
package import Discovery
package import Identity
import NIOPosix

/// Asks the name servers of this system for the hubs of a domain: the questions of ``DomainSearch`` through
/// libresolv, so that servers, attempts and options are those of resolv.conf(5).
struct DomainBrowse: Sendable {
    /// Questions at a time: libresolv blocks. Name servers answer hundreds in a moment, and a lost packet
    /// holds up one of these only.
    private static let width = 16
    /// The longest that one attempt waits, in seconds; resolv.conf may say less. The default, 5, is half of
    /// the whole search.
    private static let patience: Int32 = 2
    /// How often a watched domain is asked again. The resolver keeps answers for as long as their time to
    /// live.
    private static let interval = Duration.seconds(15)

    let domain: SearchDomain
    let types: [ServiceType]
    let rules: HubAddressRules
    let follows: Bool
    /// Of this browse, in the search.
    let number: Int

    /// Returns after one pass, or goes on if changes are followed. Cancelling it ends it at once; an answer
    /// that is still to come is dropped.
    func run(_ step: @Sendable (SearchState.Step) -> Void) async throws {
        func report(_ sighting: Sighting) { step(.sighting(sighting, browse: number)) }
        let pool = NIOThreadPool(numberOfThreads: DomainBrowse.width)
        pool.start()
        defer { pool.shutdownGracefully { _ in } }
        var progress = SourceProgress()
        progress.hasBegun = true
        report(.quiet(progress))
        var followed = FollowedInstances()
        while !Task.isCancelled {
            var search = DomainSearch(domain.name, types: types, rules: rules)
            followed.begin()
            progress.unresolved = nil
            try await pass(&search, &progress, in: pool) { sighting in
                followed.take(sighting)
                report(sighting)
            }
            guard !Task.isCancelled else { return }
            if let failure = search.failure {
                let error = DomainError.unanswered(domain, failure)
                guard follows else { throw error }
                step(.note("\(error)"))
            } else {
                followed.gone.forEach { report(.gone($0)) }
            }
            if search.isIncomplete {
                step(.note("the name servers do not tell all of \(domain); hubs may be missing"))
            }
            progress.hasSettled = true
            report(.quiet(progress))
            guard follows else { return }
            try await Task.sleep(for: DomainBrowse.interval)
        }
    }

    /// Asks until all is answered.
    private func pass(
        _ search: inout DomainSearch, _ progress: inout SourceProgress, in pool: NIOThreadPool,
        _ report: (Sighting) -> Void
    ) async throws {
        let (answers, output) = AsyncStream<(DomainSearch.Question, DomainSearch.Answer)>.makeStream()
        func ask() {
            for question in search.takeQuestions() {
                pool.submit { state in
                    guard case .active = state else { return }
                    output.yield((question, DomainBrowse.ask(question)))
                }
            }
        }
        ask()
        progress.pendingCount = search.openCount
        report(.quiet(progress))
        for await (question, answer) in answers {
            for sighting in search.take(answer, of: question) { report(sighting) }
            for unresolved in search.unresolved {
                progress.unresolved = unresolved
                report(.quiet(progress))
            }
            search.unresolved = []
            ask()
            guard !search.isOver else { break }
        }
        progress.pendingCount = search.openCount
        report(.quiet(progress))
    }

    /// Blocks until the resolver has an answer, or none.
    private static func ask(_ question: DomainSearch.Question) -> DomainSearch.Answer {
        var answer = [UInt8](repeating: 0, count: DNSMessage.Limits.unicast.byteCount)
        var fault: Int32 = 0
        let count = hubpair_resolve(
            question.name.text, Int32(question.kind.rawValue), patience, &answer, Int32(answer.count), &fault)
        guard count < 0 else { return .message(Array(answer.prefix(Int(count)))) }
        return switch fault {
        case HOST_NOT_FOUND, NO_DATA: .nothing
        case TRY_AGAIN: .failure(.timedOut)
        default: .failure(.refused)
        }
    }
}

/// What is there since the pass before, to tell what has gone.
private struct FollowedInstances {
    private var before: Set<Sighting.Gone> = []
    private var now: Set<Sighting.Gone> = []

    mutating func begin() { (before, now) = (now, []) }

    mutating func take(_ sighting: Sighting) {
        switch sighting {
        case .found(let service, _): now.insert(.service(service.instance))
        case .changed(let address, let host, let interface):
            now.insert(.address(address, host: host, interface: interface))
        // It is still announced, and what was known of it remains.
        case .quiet(let progress):
            guard let instance = progress.unresolved?.instance else { break }
            if before.contains(.service(instance)) { now.insert(.service(instance)) }
        default: break
        }
    }

    var gone: Set<Sighting.Gone> { before.subtracting(now) }
}

/// The name servers could not be asked for a domain's hubs.
package enum DomainError: UserError {
    case unanswered(SearchDomain, ResolveError)

    package var description: String {
        switch self {
        // libresolv makes no difference between silence, a failure and a refusal.
        case .unanswered(let domain, .timedOut): "the name servers give no answer for \(domain)"
        case .unanswered(let domain, .refused): "the name servers refuse to answer for \(domain)"
        case .unanswered(let domain, let error): "\(domain): \(error)"
        }
    }

    package var kind: UserErrorKind { .unavailable }

    package var hint: String? { "/etc/resolv.conf names the servers that are asked" }
}
