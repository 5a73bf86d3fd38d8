import Discovery
import Glibc
import Testing

extension LiveBrowsing {
    /// What a browse takes from the system it gives back, however it ends.
    @Suite struct Leaks {
        enum End: CaseIterable { case broken, cancelledAtOnce, cancelledLater, dropped }

        @Test(arguments: End.allCases)
        func nothingIsLeft(after end: End) async throws {
            _ = try Lab.directory()
            let stranger = try Program.announcing("Hub", type: "_hp-leak._tcp")
            defer { stranger.stop() }
            _ = try await sightings(of: "_hp-leak._tcp") { !$0.hubs.isEmpty }
            try await browse(end)  // whatever is made once is there now
            try await noLoops()
            let before = openFiles()
            for _ in 1...250 { try await browse(end) }  // 1,000 in all
            try await noLoops()
            // A loop's descriptors are closed just after its thread has ended.
            for _ in 1...20_000 where openFiles().count > before.count {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(openFiles().count <= before.count, "before: \(before), after: \(openFiles())")
        }

        private func browse(_ end: End) async throws {
            let browser = HubBrowser(serviceType: "_hp-leak._tcp", through: .daemon)
            let task = Task {
                for try await _ in browser.sightings where end == .broken { break }
            }
            switch end {
            case .broken: try await task.value
            case .cancelledAtOnce: task.cancel()
            case .cancelledLater:
                try await Task.sleep(for: .milliseconds(3))
                task.cancel()
            case .dropped:
                task.cancel()
                var iterator = browser.sightings.makeAsyncIterator()
                _ = try await iterator.next()
            }
            _ = await task.result
        }

        /// A thread ends a moment after its browse: waits for that, 200 seconds at most.
        private func noLoops() async throws {
            for _ in 1...20_000 where loops() > 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(loops() == 0)
        }

        private func loops() -> Int {
            entries(of: "/proc/self/task").count { task in
                guard let file = fopen("/proc/self/task/\(task)/comm", "r") else { return false }
                defer { fclose(file) }
                var name = [UInt8](repeating: 0, count: 16)
                let count = fread(&name, 1, name.count, file)
                return String(decoding: name.prefix(count), as: UTF8.self) == "avahi-loop\n"
            }
        }

        /// What the descriptors are, such as `socket:[4711]`, without the one that reads this.
        private func openFiles() -> [String] {
            entries(of: "/proc/self/fd").compactMap { descriptor in
                var target = [CChar](repeating: 0, count: 256)
                guard readlink("/proc/self/fd/\(descriptor)", &target, target.count - 1) > 0 else {
                    return nil
                }
                return String(decoding: target.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            }
        }

        private func entries(of directory: String) -> [String] {
            guard let stream = opendir(directory) else { return [] }
            defer { closedir(stream) }
            var names: [String] = []
            while let entry = readdir(stream) {
                names.append(
                    withUnsafeBytes(of: entry.pointee.d_name) {
                        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                    })
            }
            return names
        }
    }
}
