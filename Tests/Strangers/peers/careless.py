"""Servers that answer without having read a request's body, and keep the connection: Python's http.server with HTTP/1.1,
and Perl's HTTP::Daemon. They carry out whatever they take for a request, and say which that was."""
import http.server
import os
import subprocess
import threading

PERL = r"""
use HTTP::Daemon; use HTTP::Response;
my $daemon = HTTP::Daemon->new(LocalAddr => "127.0.0.1", Listen => 100) or die $!;
open(my $log, ">>", $ARGV[0]) or die $!;
$SIG{TERM} = sub { 1 while wait() != -1; exit };  # once all connections have ended
$| = 1; print $daemon->sockport, "\n";
while (1) {
    my $client = $daemon->accept or next;
    unless (fork // die $!) {
        $SIG{TERM} = "DEFAULT";
        my $place = 0;
        # Only the head, as a program does that has no use for a body.
        while (my $request = $client->get_request(1)) {
            my @fields = map { $request->header($_) // "-" } "X-Hubpair-Role", "X-Hubpair-Device";
            syswrite($log, join("\t", $request->method, $request->uri->path_query, @fields) . "\n");
            my $text = $request->method eq "HEAD" ? "" : "ok";
            $client->send_response(HTTP::Response->new(200, "OK", ["Content-Length" => 2, "X-Place" => $place++], $text));
        }
        exit;
    }
}
"""


class PerlServer:
    def __init__(self, folder):
        self.log = os.path.join(folder, "perl.log")
        open(self.log, "w").close()
        self.process = subprocess.Popen(["perl", "-e", PERL, self.log], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def close(self):
        """Returns once all connections have ended."""
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    @property
    def requests(self):
        """What it took for requests: method, target, role and device."""
        with open(self.log) as log:
            return [tuple(line.rstrip("\n").split("\t")) for line in log]


class PythonServer(http.server.ThreadingHTTPServer):
    """Reads as many bytes of a body as `X-Read` says, none without it."""
    daemon_threads = False
    request_queue_size = 128

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def __getattr__(self, name):
            # Whatever the method is.
            if name.startswith("do_"):
                return self.carry_out
            raise AttributeError(name)

        def setup(self):
            super().setup()
            self.count = 0

        def carry_out(self):
            fields = [self.headers.get(name, "-") for name in ("X-Hubpair-Role", "X-Hubpair-Device")]
            with self.server.lock:
                self.server.requests.append((self.command, self.path, *fields))
            self.rfile.read(int(self.headers.get("X-Read", 0)))
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.send_header("X-Place", str(self.count))
            self.count += 1
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(b"ok")

        def log_message(self, *_):
            pass

    def __init__(self, _):
        self.lock, self.requests = threading.Lock(), []
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.port = self.server_port
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def handle_error(self, *_):
        pass  # a client that goes

    def close(self):
        """Returns once all connections have ended."""
        self.shutdown()
        self.server_close()
