import Testing

@testable import hubpair

@Suite struct TurnsTests {
    /// As long as no hub is slow, the order is that of the hubs and not that of the answers.
    @Test func inTheOrderOfTheHubs() {
        var turns = Turns()
        #expect(turns.take(2, isAnswer: true) == [])
        #expect(turns.take(0, isAnswer: true) == [0])
        #expect(turns.take(1, isAnswer: true) == [1, 2])
        #expect(turns.take(3, isAnswer: true) == [3])
    }

    /// A hub that has failed delays no other one, and has no turn.
    @Test func failuresHaveNoTurn() {
        var turns = Turns()
        #expect(turns.take(1, isAnswer: true) == [])
        #expect(turns.take(0, isAnswer: false) == [1])
        #expect(turns.take(2, isAnswer: false) == [])
    }

    /// Once the grace is over, the answers so far are written, and the others as they come.
    @Test func afterTheGraceAsTheyCome() {
        var turns = Turns()
        #expect(turns.take(3, isAnswer: true) == [])
        #expect(turns.take(1, isAnswer: true) == [])
        #expect(turns.hurry() == [1, 3])
        #expect(turns.take(2, isAnswer: true) == [2])
        #expect(turns.take(0, isAnswer: true) == [0])
        #expect(turns.hurry() == [])
    }
}
