"""A real nginx and a real Caddy: in front of a server, where they ask a hub about every request by what the project gives
people for that, and behind a hub, as a server like any other."""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

from hub import free_port

ROOT = pathlib.Path(__file__).resolve().parents[3]


def nginx(test, hub, url, asked):
    """nginx with the sample's configuration, but for ports and paths; returns its port.

    - asked: the port of the hub at which it asks: the hub's own, or that of a service."""
    port, prefix = free_port(), folder(test)
    text = (ROOT / "samples/nginx.conf").read_text()
    temporary = "".join(f"{name}_temp_path {prefix}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    text = replaced(text, {
        "8443 ssl": f"127.0.0.1:{port} ssl", "http://127.0.0.1:8080": url, "127.0.0.1:8000": f"127.0.0.1:{asked}",
        "/var/lib/hubpair": hub.state, "pid nginx.pid": f"pid {prefix}/nginx.pid",
        "worker_processes auto": "worker_processes 1", "access_log off;": f"access_log off; {temporary}"})
    return nginx_with(test, prefix, text, port)


def caddy(test, hub, url, asked):
    """The same with Caddy, and the configuration in the documentation."""
    port = free_port()
    page = (ROOT / "Sources/hubpair/Documentation.docc/Serving.md").read_text()
    text = re.search(r"```\n(\{\n    servers .*?)```", page, re.S)[1]
    return caddy_with(test, replaced(text, {
        "https://:8443": f"https://:{port}", "/var/lib/hubpair": hub.state, "127.0.0.1:8000": f"127.0.0.1:{asked}",
        "127.0.0.1:8080": url.removeprefix("http://"), "{\n    servers": "{\n    admin off\n    auto_https off\n    servers"}), port)


def nginx_behind(test, url):
    """nginx in front of a server, as anybody has it, for a hub to stand in front of; returns its port."""
    port, prefix = free_port(), folder(test)
    return nginx_with(test, prefix, f"""
        worker_processes 1; pid {prefix}/nginx.pid; events {{}}
        http {{
            access_log off; proxy_temp_path {prefix}/proxy; client_body_temp_path {prefix}/body;
            fastcgi_temp_path {prefix}/f; uwsgi_temp_path {prefix}/u; scgi_temp_path {prefix}/s;
            server {{
                listen 127.0.0.1:{port};
                location = /old {{ return 301 /new; }}
                location / {{
                    proxy_pass {url}; proxy_http_version 1.1; proxy_set_header Host $http_host;
                    proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $http_connection;
                }}
            }}
        }}""", port)


def caddy_behind(test, url):
    """The same with Caddy."""
    port = free_port()
    return caddy_with(test, f"""
        {{
            admin off
            auto_https off
        }}
        http://:{port} {{
            redir /old http://{{http.request.host}}:{port}/new
            reverse_proxy {url}
        }}""", port)


def replaced(text, values):
    for old, new in values.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def folder(test):
    path = pathlib.Path(tempfile.mkdtemp(prefix="hubpair-proxy-"))
    test.addCleanup(shutil.rmtree, path, True)
    return path


def nginx_with(test, prefix, text, port):
    (prefix / "nginx.conf").write_text(text)
    return started(test, port, [
        "nginx", "-p", str(prefix), "-e", f"{prefix}/error.log", "-c", f"{prefix}/nginx.conf", "-g", "daemon off;"])


def caddy_with(test, text, port):
    prefix = folder(test)
    (prefix / "Caddyfile").write_text(text)
    with open(prefix / "log", "w") as log:
        return started(
            test, port, ["caddy", "run", "--config", str(prefix / "Caddyfile"), "--adapter", "caddyfile"], stdout=log, stderr=log,
            env={**os.environ, "HOME": str(prefix), "XDG_DATA_HOME": str(prefix), "XDG_CONFIG_HOME": str(prefix)})


def started(test, port, command, **options):
    """The port, once it listens there."""
    process = subprocess.Popen(command, **options)
    test.addCleanup(process.wait)
    test.addCleanup(process.terminate)
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return port
        except ConnectionRefusedError:
            time.sleep(0.02)
    raise AssertionError(f"{command[0]} does not start")
