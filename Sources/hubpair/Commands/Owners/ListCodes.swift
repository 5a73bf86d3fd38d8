import FoundationEssentials
import Pairing

/// `hubpair codes`, as a plain value.
struct ListCodes: Equatable {
    /// A line for each code of a sheet.
    var each = false
    var place = AdministeredHub()
    var json = false

    func run() async throws {
        try write(try await place.acting { try await $0.codes() })
    }

    private func write(_ codes: [CodeRecord]) throws {
        if json { return try JSONLine.write(codes.lazy.map(\.json)) }
        if codes.isEmpty { Console.note("no code is out; '\(place.command("print"))' makes one") }
        let now = Date()
        try Table(
            columns: CodeLine.titles, rows: CodeLine.rows(codes, isEach: each).map { $0.cells(seenAt: now) }
        ).write()
    }
}
