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
    func run(_ step: @escaping @Sendable (SearchState.Step) -> Void) async throws {
        let report: @Sendable (Sighting) -> Void = { [number] in step(.sighting($0, browse: number)) }
        let pool = NIOThreadPool(numberOfThreads: DomainBrowse.width)
        pool.start()
        defer { pool.shutdownGracefully { _ in } }
        var progress = SourceProgress()
        progress.hasBegun = true
        report(.quiet(progress))
        /// What is there since the pass before, to tell what has gone.
        var present: Set<Sighting.Gone> = []
        while !Task.isCancelled {
            let search = DomainSearch(
                types: types, rules: rules, progress: progress,
                ask: { question async throws(ResolveError) in
                    try await DomainBrowse.ask(question, in: pool)
                }, report: report)
            await search.run(domain.name)
            guard !Task.isCancelled else { return }
            if let failure = await search.failure {
                let error = DomainError.unanswered(domain, failure)
                guard follows else { throw error }
                step(.note("\(error)"))
            } else {
                // What has no address now is still announced, and what was known of it remains.
                let silent = Set(await search.unresolved.map { Sighting.Gone.service($0) })
                let now = await search.present.union(present.intersection(silent))
                for gone in present.subtracting(now) { report(.gone(gone)) }
                present = now
            }
            if await search.isIncomplete {
                step(.note("the name servers do not tell all of \(domain); hubs may be missing"))
            }
            progress.hasSettled = true
            report(.quiet(progress))
            guard follows else { return }
            try await Task.sleep(for: DomainBrowse.interval)
        }
    }

    private static func ask(
        _ question: DomainSearch.Question, in pool: NIOThreadPool
    ) async throws(ResolveError) -> [UInt8]? {
        let (answers, output) = AsyncStream<Result<[UInt8]?, ResolveError>>.makeStream()
        pool.submit { state in
            if case .active = state { output.yield(DomainBrowse.resolve(question)) }
            output.finish()
        }
        for await answer in answers { return try answer.get() }
        throw .timedOut  // cancelled
    }

    /// Blocks until the resolver has an answer, or none.
    private static func resolve(_ question: DomainSearch.Question) -> Result<[UInt8]?, ResolveError> {
        var answer = [UInt8](repeating: 0, count: DNSMessage.Limits.unicast.byteCount)
        var fault: Int32 = 0
        let count = hubpair_resolve(
            question.name.text, Int32(question.kind.rawValue), patience, &answer, Int32(answer.count), &fault)
        guard count < 0 else { return .success(Array(answer.prefix(Int(count)))) }
        return switch fault {
        case HOST_NOT_FOUND, NO_DATA: .success(nil)
        case TRY_AGAIN: .failure(.timedOut)
        default: .failure(.refused)
        }
    }
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
