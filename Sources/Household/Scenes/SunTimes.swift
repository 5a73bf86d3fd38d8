import Glibc

/// Sunrise and sunset at a place.
///
/// The equations of the NOAA Solar Calculator (NOAA Earth System Research Laboratories, "Solar Calculation
/// Details"), which are those of Jean Meeus, Astronomical Algorithms, chapters 25 and 28. The sun rises when
/// its upper edge does, in usual refraction: its centre is 0.833° below the horizon. Within a minute up
/// to the polar circles; the horizon at a house differs by more.
struct SunTimes {
    private static let depth = 0.833
    private static let day = 86_400.0

    let place: Place

    /// - Parameters:
    ///   - sun: its rise or its set.
    ///   - noon: seconds since 1970 at noon by the clock of the day in question.
    /// - Returns: seconds since 1970; nil if the sun stays up or down that day.
    func time(of sun: SceneTime.Sun, around noon: Double) -> Double? {
        var time = noon
        // Each round takes the sun's place at the time that the last one found. The third changes seconds.
        for _ in 0..<4 {
            let state = SunTimes.state(at: time)
            let sine = SunTimes.sine
            let cosine =
                (sine(-SunTimes.depth) - sine(place.latitude) * sine(state.declination))
                / (SunTimes.cosine(place.latitude) * SunTimes.cosine(state.declination))
            guard cosine.magnitude <= 1 else { return nil }
            let halfDay = acos(cosine) * 180 / .pi * 240
            let highest = solarNoon(equation: state.equation, around: noon)
            time = sun == .rise ? highest - halfDay : highest + halfDay
        }
        return time
    }

    /// When the sun is highest, next to `noon`.
    private func solarNoon(equation: Double, around noon: Double) -> Double {
        let solar = noon + 60 * equation + 240 * place.longitude
        let past = (solar - SunTimes.day / 2).remainder(dividingBy: SunTimes.day)
        return noon - past
    }

    /// The sun's declination in degrees, and the equation of time in minutes.
    private static func state(at time: Double) -> (declination: Double, equation: Double) {
        // Julian centuries since noon of 1 January 2000.
        let t = (time / day + 2_440_587.5 - 2_451_545) / 36_525
        let meanLongitude = 280.46646 + t * (36_000.76983 + t * 0.0003032)
        let anomaly = 357.52911 + t * (35_999.05029 - 0.0001537 * t)
        let eccentricity = 0.016708634 - t * (0.000042037 + 0.0000001267 * t)
        let centre =
            sine(anomaly) * (1.914602 - t * (0.004817 + 0.000014 * t))
            + sine(2 * anomaly) * (0.019993 - 0.000101 * t) + sine(3 * anomaly) * 0.000289
        let node = 125.04 - 1934.136 * t
        let longitude = meanLongitude + centre - 0.00569 - 0.00478 * sine(node)
        let meanObliquity = 23 + (26 + (21.448 - t * (46.815 + t * (0.00059 - t * 0.001813))) / 60) / 60
        let obliquity = meanObliquity + 0.00256 * cosine(node)
        let declination = asin(sine(obliquity) * sine(longitude)) * 180 / .pi
        let half = sine(obliquity / 2) / cosine(obliquity / 2)
        let y = half * half
        let equation =
            y * sine(2 * meanLongitude) - 2 * eccentricity * sine(anomaly)
            + 4 * eccentricity * y * sine(anomaly) * cosine(2 * meanLongitude)
            - 0.5 * y * y * sine(4 * meanLongitude) - 1.25 * eccentricity * eccentricity * sine(2 * anomaly)
        return (declination, 4 * equation * 180 / .pi)
    }

    /// Of degrees.
    private static func sine(_ degrees: Double) -> Double { sin(degrees * .pi / 180) }
    private static func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }
}
