/// Which messages a device has read: ranges of ids that do not touch.
///
/// Devices mostly read all messages up to one, so a device has few ranges, however many messages there are.
package struct ReadMarks: Equatable, Sendable {
    /// Rising.
    package private(set) var ranges: [ClosedRange<Int64>]

    /// - Parameter ranges: rising, apart from each other; others are put in order.
    package init(_ ranges: [ClosedRange<Int64>] = []) {
        self.ranges = []
        for range in ranges { mark(range) }
    }

    package func contains(_ id: Int64) -> Bool {
        let index = firstIndex { $0.upperBound >= id }
        return index < ranges.count && ranges[index].lowerBound <= id
    }

    /// Marks messages as read.
    package mutating func mark(_ range: ClosedRange<Int64>) {
        // Those that touch the new one become one with it.
        let start = firstIndex { $0.upperBound >= range.lowerBound - 1 }
        let end = firstIndex { $0.lowerBound > range.upperBound + 1 }
        guard start < end else { return ranges.insert(range, at: start) }
        let lower = min(range.lowerBound, ranges[start].lowerBound)
        let upper = max(range.upperBound, ranges[end - 1].upperBound)
        ranges.replaceSubrange(start..<end, with: [lower...upper])
    }

    /// The first unread ids after `id` that follow each other, at most up to `end`; nil if there are none.
    package func gap(after id: Int64, upTo end: Int64) -> ClosedRange<Int64>? {
        var first = id + 1
        var index = firstIndex { $0.upperBound >= first }
        if index < ranges.count, ranges[index].lowerBound <= first {
            first = ranges[index].upperBound + 1
            index += 1
        }
        let last = index < ranges.count ? min(end, ranges[index].lowerBound - 1) : end
        return first <= last ? first...last : nil
    }

    /// How many of the messages with ids in `range` are not read.
    package func unreadCount(in range: ClosedRange<Int64>) -> Int64 {
        let read = ranges.reduce(Int64(0)) { sum, part in
            guard part.overlaps(range) else { return sum }
            let part = part.clamped(to: range)
            return sum + part.upperBound - part.lowerBound + 1
        }
        return range.upperBound - range.lowerBound + 1 - read
    }

    /// The first index whose range fulfils a condition that all later ones fulfil, too.
    private func firstIndex(where isFound: (ClosedRange<Int64>) -> Bool) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if isFound(ranges[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
