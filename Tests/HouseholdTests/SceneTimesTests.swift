import Foundation
import Household
import Identity
import Pairing
import Testing

/// When timed scenes run: times and days as text, zones, the sun.
struct SceneTimesTests {
    @Test(
        arguments: [
            ("00:00", .clock(0)), ("07:30", .clock(450)), ("23:59", .clock(1439)), ("sunset", .sun(.set, 0)),
            ("sunrise+15", .sun(.rise, 15)), ("sunset-720", .sun(.set, -720)), ("sunset+0", .sun(.set, 0)),
            ("7:30", nil), ("24:00", nil), ("12:60", nil), ("1２:00", nil), ("", nil), ("Sunset", nil),
            ("sunset+721", nil), ("sunset+", nil), ("sunset +5", nil), ("sunset5", nil), ("sunset++5", nil),
            ("sunset+0005", nil), ("07:30 ", nil), ("+7:30", nil), ("-1:00", nil),
        ] as [(String, SceneTime?)])
    func readsATimeOrNot(_ text: String, _ time: SceneTime?) {
        #expect(SceneTime(text) == time)
        if let time { #expect(SceneTime(time.description) == time) }
    }

    @Test(arguments: [
        ("52.52 13.41", true), ("-33.9 151", true), ("90 -180", true), ("0 0", true), ("91 0", false),
        ("0 180.1", false), ("52.52,13.41", false), ("52.52", false), ("+52 13", false), ("52 13 ", false),
        ("5e1 13", false), ("52. 13", false), (".5 13", false), ("nan 0", false), ("0x5 1", false),
        ("52.1234567 13", false), ("- 13", false),
    ])
    func readsAPlaceOrNot(_ text: String, _ isOne: Bool) {
        #expect((Place(text) != nil) == isOne)
    }

    static func zone(_ name: String) throws -> LocalZone {
        let zone = try #require(TimeZone(identifier: name))
        return LocalZone { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0))) }
    }

    /// A time that comes twice is the first of the two; one that is jumped over is the jump.
    @Test(arguments: [
        ("Europe/Berlin", "2026-03-29", 90, "2026-03-29T00:30:00Z"),
        ("Europe/Berlin", "2026-03-29", 150, "2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "2026-03-29", 180, "2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "2026-10-25", 150, "2026-10-25T00:30:00Z"),
        ("Europe/Berlin", "2026-10-25", 180, "2026-10-25T02:00:00Z"),
        ("Australia/Lord_Howe", "2026-10-04", 135, "2026-10-03T15:30:00Z"),
        ("Australia/Lord_Howe", "2026-04-05", 105, "2026-04-04T14:45:00Z"),
        // Samoa had no 30 December 2011.
        ("Pacific/Apia", "2011-12-30", 450, "2011-12-30T10:00:00Z"),
        ("Pacific/Apia", "2011-12-31", 450, "2011-12-30T17:30:00Z"),
        // Midnight is jumped over.
        ("America/Havana", "2026-03-08", 0, "2026-03-08T05:00:00Z"),
        ("Asia/Kathmandu", "2026-06-01", 0, "2026-05-31T18:15:00Z"),
        ("UTC", "1969-12-31", 1439, "1969-12-31T23:59:00Z"),
    ])
    func timesOfDayByTheLocalClock(_ zone: String, _ day: String, _ minutes: Int, _ time: String) throws {
        let day = try #require(LocalDay(day))
        let found = try SceneTimesTests.zone(zone).time(of: minutes, on: day)
        #expect(Date(timeIntervalSince1970: Double(found)).timestamp == time)
    }

    /// To the minute, as newspapers print them; the last, whose day begins 14 hours before UTC's, worked out
    /// by hand.
    @Test(arguments: [
        ("52.52 13.41", "Europe/Berlin", "2026-06-21", "2026-06-21T02:43:00Z", "2026-06-21T19:33:00Z"),
        ("51.5 -0.13", "Europe/London", "2024-12-21", "2024-12-21T08:04:00Z", "2024-12-21T15:53:00Z"),
        ("40.71 -74.01", "America/New_York", "2024-03-20", "2024-03-20T10:59:00Z", "2024-03-20T23:08:00Z"),
        ("-33.87 151.21", "Australia/Sydney", "2024-12-21", "2024-12-20T18:41:00Z", "2024-12-21T09:05:00Z"),
        ("1.87 -157.4", "Pacific/Kiritimati", "2024-06-01", "2024-05-31T16:21:00Z", "2024-06-01T04:34:00Z"),
    ])
    func sunriseAndSunset(
        _ place: String, _ zone: String, _ day: String, _ rise: String, _ set: String
    ) throws {
        let times = SceneTimes(zone: try SceneTimesTests.zone(zone), place: Place(place))
        let noon = try SceneTimesTests.zone(zone).time(of: 720, on: try #require(LocalDay(day)))
        for (sun, expected) in [(SceneTime.Sun.rise, rise), (.set, set)] {
            let scene = HubScene(name: try PeerName("S"), states: [], time: .sun(sun, 0))
            let now = Date(timeIntervalSince1970: Double(noon))
            let run = sun == .rise ? times.last(of: scene, through: now) : times.next(of: scene, after: now)
            let found = try #require(run)
            #expect(found.day.description == day)
            let difference = found.time.timeIntervalSince(try #require(Date(timestamp: expected)))
            #expect(abs(difference) <= 120, "\(sun) \(found.time.timestamp)")
        }
    }

    /// Every day of a year at many places, against an algorithm of other authors: Almanac for Computers 1990
    /// (Nautical Almanac Office, US Naval Observatory), pages B5 to B7. It is within two or three minutes.
    @Test func theSunAgainstAnotherAlgorithm() throws {
        let zone = LocalZone { _ in 0 }
        for (latitude, longitude) in [(0, 0), (23, 77), (-35, -58), (48, 11), (-54, 3), (60, 25), (64, -21)] {
            let times = SceneTimes(zone: zone, place: Place("\(latitude) \(longitude)"))
            for number in stride(from: 20_454, to: 20_819, by: 3) {
                for sun in [SceneTime.Sun.rise, .set] {
                    let scene = HubScene(
                        name: try PeerName("S"), states: [], time: .sun(sun, 0))
                    let noon = Double(number) * 86_400 + 43_200 - 240 * Double(longitude)
                    let now = Date(timeIntervalSince1970: noon)
                    let run =
                        sun == .rise ? times.last(of: scene, through: now) : times.next(of: scene, after: now)
                    let hours = Almanac.hours(
                        sun, yearDay: number - 20_454 + 1, Double(latitude), Double(longitude))
                    guard let run, let hours else { continue }
                    let found = run.time.timeIntervalSince1970 / 3600
                    let difference = (found - hours).remainder(dividingBy: 24)
                    #expect(abs(difference) < 0.1, "\(latitude) \(longitude) \(number) \(sun)")
                    #expect(abs(run.time.timeIntervalSince(now)) < 43_200)
                }
            }
        }
    }

    @Test func withinThePolarCircleTheSunMayNotRise() throws {
        let zone = try SceneTimesTests.zone("Europe/Oslo")
        let times = SceneTimes(zone: zone, place: Place("69.65 18.96"))
        let scene = HubScene(name: try PeerName("S"), states: [], time: .sun(.rise, 0))
        for (now, rises) in [("2026-12-21", false), ("2026-06-21", false), ("2026-03-21", true)] {
            let now = try #require(Date(timestamp: now + "T10:00:00Z"))
            #expect((times.next(of: scene, after: now) != nil) == rises)
        }
        let nowhere = SceneTimes(zone: zone, place: nil)
        #expect(nowhere.next(of: scene, after: Date()) == nil)
    }

    @Test func daysOfTheWeek() throws {
        let times = SceneTimes(zone: try SceneTimesTests.zone("Europe/Berlin"), place: nil)
        let scene = HubScene(
            name: try PeerName("S"), states: [], time: .clock(450), days: try #require(SceneDays("mon fri")))
        // A Sunday.
        let now = try #require(Date(timestamp: "2026-11-22T12:00:00Z"))
        #expect(times.next(of: scene, after: now)?.time.timestamp == "2026-11-23T06:30:00Z")
        #expect(times.last(of: scene, through: now)?.time.timestamp == "2026-11-20T06:30:00Z")
        #expect(LocalDay("2026-11-22")?.weekday == 6)
        #expect(LocalDay(-1).weekday == 2)
        for number in stride(from: -141_349, to: 60_000, by: 17) {
            let midnight = Date(timeIntervalSince1970: Double(number) * 86_400)
            #expect(LocalDay(number).description == String(midnight.timestamp.prefix(10)))
            #expect(LocalDay(LocalDay(number).description)?.number == number)
        }
        for text in ["2026-02-30", "2026-13-01", "2026-1-01", "26-01-01", "2026-01-00", "", "2026/01/01"] {
            #expect(LocalDay(text) == nil)
        }
        #expect(LocalDay(-1).description == "1969-12-31")
    }
}

/// Sunrise and sunset as the Almanac for Computers has them.
private enum Almanac {
    static func hours(
        _ sun: SceneTime.Sun, yearDay: Int, _ latitude: Double, _ longitude: Double
    ) -> Double? {
        let radians = { (degrees: Double) in degrees * .pi / 180 }
        let degrees = { (radians: Double) in radians * 180 / .pi }
        let turn = { (angle: Double) in angle - 360 * (angle / 360).rounded(.down) }
        let t = Double(yearDay) + ((sun == .rise ? 6 : 18) - longitude / 15) / 24
        let m = 0.9856 * t - 3.289
        let l = turn(m + 1.916 * sin(radians(m)) + 0.020 * sin(radians(2 * m)) + 282.634)
        var ascension = turn(degrees(atan(0.91764 * tan(radians(l)))))
        ascension += (l / 90).rounded(.down) * 90 - (ascension / 90).rounded(.down) * 90
        let sinDeclination = 0.39782 * sin(radians(l))
        let cosDeclination = cos(asin(sinDeclination))
        let cosine =
            (cos(radians(90.8333)) - sinDeclination * sin(radians(latitude)))
            / (cosDeclination * cos(radians(latitude)))
        guard abs(cosine) <= 1 else { return nil }
        let hour = degrees(acos(cosine))
        let h = (sun == .rise ? 360 - hour : hour) / 15
        return h + ascension / 15 - 0.06571 * t - 6.622 - longitude / 15
    }
}
