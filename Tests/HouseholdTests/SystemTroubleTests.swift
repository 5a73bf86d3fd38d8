import FoundationEssentials
import Household
import Pairing
import Testing

@Suite struct SystemTroubleTests {
    private let start = Date(timeIntervalSince1970: 1_795_000_000)

    /// - Parameters:
    ///   - boot: seconds of the boot clock.
    ///   - ahead: how far the wall clock is from where it should be.
    private func moment(_ boot: Double, ahead: Double = 0) -> Moment {
        Moment(
            wall: start.addingTimeInterval(boot + ahead),
            boot: BootTime(id: "00000000-0000-4000-8000-000000000000", milliseconds: Int64(boot * 1000)))
    }

    @Test func strangersInNumbersAreToldOnceAnHour() {
        var count = RefusalCount()
        let parts = [(0.0, 99), (599, 1), (600, 500), (4200, 99), (4201, 1)]
        let times = parts.flatMap { Array(repeating: $0.0, count: $0.1) }
        let told = times.filter { count.note(at: moment($0)) }
        #expect(told == [599, 4201])
    }

    /// A few now and then are too few to be told.
    @Test func aFewStrangersAreNotTold() {
        var count = RefusalCount()
        let told = (0..<1000).filter { count.note(at: moment(Double($0) * 10)) }
        #expect(told == [])
    }

    @Test func aDiskIsToldOnceWhenItBecomesFull() {
        var watch = DiskWatch()
        let told = [101, 99, 101, 99, 201].map { watch.look(free: $0 << 20, size: 10 << 30) }
        #expect(told == [nil, true, nil, nil, false])
        // A small disk may have less.
        var small = DiskWatch()
        let ofSmall = [6, 4].map { small.look(free: $0 << 20, size: 100 << 20) }
        #expect(ofSmall == [nil, true])
    }

    @Test func aClockThatIsSetBackIsToldOnce() {
        var watch = ClockWatch(known: nil)
        let looks: [(Double, Double)] = [
            (0, 0), (60, -30), (120, -3630), (180, -3630), (240, -30), (300, -3630),
        ]
        let told = looks.map { watch.look(at: moment($0.0, ahead: $0.1)).map { ($0 / 60).rounded() } }
        #expect(told == [nil, nil, 60, nil, nil, 60])
    }

    /// After a restart only the time that was written down is known.
    @Test func aClockWithoutABatteryIsTold() {
        var watch = ClockWatch(known: start.addingTimeInterval(86_400))
        let looks: [(Double, Double)] = [(10, 0), (70, 0), (130, 90_000)]
        let told = looks.map { watch.look(at: moment($0.0, ahead: $0.1)) != nil }
        #expect(told == [true, false, false])
    }
}
