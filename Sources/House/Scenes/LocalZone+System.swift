import Glibc
import Household

extension LocalZone {
    /// The time zone of this process: `$TZ`, else `/etc/localtime` as it is now.
    static var system: LocalZone {
        tzset()
        return LocalZone { time in
            var time = time_t(time)
            var parts = tm()
            localtime_r(&time, &parts)
            return parts.tm_gmtoff
        }
    }
}
