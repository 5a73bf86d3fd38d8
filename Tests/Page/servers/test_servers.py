"""Real servers behind the hub, in a real browser: what each is is found out by asking it, a browser that is paired opens it from
the hub's page, and uses it so far that only a page that works shows it. `samples/prepare services` gets them; one that is missing
is a failure."""
import crypt
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import unittest
import urllib.request

from browser import Failed
from hub import free_port
from house import HouseTests

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Nothing at which the server itself listens, as at home.
HOST = "kitchen.example"
PATH = os.environ["PATH"] + ":/usr/sbin:/usr/lib/cockpit"


def program(name):
    """A program of Debian's, or `VENV/PROGRAM` of PyPI's."""
    path = ROOT / ".build/services" / name.replace("/", "/bin/")
    found = str(path) if path.exists() else shutil.which(name, path=PATH)
    if not found:
        raise AssertionError(f"{name} is missing; samples/prepare services gets it")
    return found


class ServersTests(HouseTests):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.hub.run("hub", "names", "add", HOST)

    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(prefix="hubpair-server-"))
        self.addCleanup(shutil.rmtree, self.here, ignore_errors=True)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def run_server(self, *command, ready="/", **environment):
        """Starts it, and returns when it answers."""
        with open(self.here / "log", "w") as log:
            server = subprocess.Popen(
                command, env={**os.environ, "HOME": str(self.here), **environment}, cwd=self.here, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)

        def answers():
            if server.poll() is not None:
                raise AssertionError(f"{command[0]} has ended:\n{(self.here / 'log').read_text()[-3000:]}")
            try:
                if not ready:
                    socket.create_connection(("127.0.0.1", self.port)).close()
                    return True
                with urllib.request.urlopen(self.url + ready) as answer:
                    return answer.status == 200
            except (OSError, http.client.HTTPException):  # an HTTPError is one of the former
                return False
        self.hub.wait_for(answers, command[0], seconds=600)

    def opened(self, name, kind):
        """The server, from the hub's page."""
        self.at = free_port()
        self.hub.run("hub", "service", "add", name, self.url, "--port", str(self.at))
        self.addCleanup(self.hub.run, "hub", "service", "remove", name)
        self.assertEqual(json.loads(self.hub.run("hub", "service", "--json"))["kind"], kind)
        self.hub.wait_for(lambda: f"serves {name}" in self.hub.log(), "the service")
        browser = self.entered(HOST)
        browser.click(f'//nav[contains(@class, "services")]//a[text()="{name}"]')
        browser.wait(lambda: browser.run("return location.origin") == f"https://{HOST}:{self.at}", "it is not opened")
        return browser

    def test_home_assistant(self):
        """As it comes, without a line about a proxy in its settings: from its first screen to a lamp."""
        (self.here / "configuration.yaml").write_text(
            f"http: {{server_host: 127.0.0.1, server_port: {self.port}}}\nfrontend:\nconfig:\ndemo:\n")
        hass = os.environ.get("HUBPAIR_HASS") or program("homeassistant/hass")
        self.run_server(hass, "--skip-pip", "-c", str(self.here), ready="/manifest.json")
        browser = self.opened("House", "home-assistant")
        # Its own first screen comes, with what its scripts fetch; the form of the first user is sent as it sends it.
        browser.wait(lambda: browser.run("return location.pathname") == "/onboarding.html", "not its first screen")
        browser.wait(lambda: browser.run("return Boolean(document.querySelector('ha-onboarding')?.shadowRoot)"), "no first screen")
        browser.run("""
            const origin = location.origin + "/", post = (path, body) => fetch(path, { method: "POST", body });
            return (async () => {
                const user = { client_id: origin, name: "Anna", username: "anna", password: "lamp-and-key", language: "en" };
                const { auth_code } = await (await post("/api/onboarding/users", JSON.stringify(user))).json();
                const form = new FormData();
                for (const [key, value] of Object.entries({ client_id: origin, code: auth_code, grant_type: "authorization_code" })) form.append(key, value);
                const tokens = await (await post("/auth/token", form)).json();
                const ask = (path, body) => fetch(path, { method: "POST", body: JSON.stringify(body), headers: { authorization: `Bearer ${tokens.access_token}` } });
                await ask("/api/onboarding/core_config", {});
                await ask("/api/onboarding/analytics", {});
                await ask("/api/onboarding/integration", { client_id: origin, redirect_uri: origin });
            })();""")
        # Who has not entered Home Assistant itself meets its own form: the hub lets people as far as its door.
        browser.open(f"https://{HOST}:{self.at}/")
        for name, text in (("username", "anna"), ("password", "lamp-and-key")):
            browser.type(f'//input[@name="{name}"]', text)
        browser.click('//ha-auth-flow//mwc-button')
        states = "document.querySelector('home-assistant')?.hass?.states"
        browser.wait(lambda: browser.run(f"return {states}?.['light.ceiling_lights']?.state"), "no lamp")
        # An order over its WebSocket, and what it tells of itself.
        before = browser.run(f"return {states}['light.ceiling_lights'].state")
        browser.run("return document.querySelector('home-assistant').hass.callService('light', 'toggle', { entity_id: 'light.ceiling_lights' })")
        browser.wait(lambda: browser.run(f"return {states}['light.ceiling_lights'].state") != before, "the lamp stays as it was")
        self.assertEqual(browser.run("return location.origin"), f"https://{HOST}:{self.at}")

    def test_jupyter(self):
        """With a kernel that computes."""
        self.run_server(
            program("jupyter/jupyter"), "lab", "--no-browser", "--allow-root", f"--port={self.port}", "--ip=127.0.0.1",
            "--IdentityProvider.token=", f"--ServerApp.root_dir={self.here}", "--expose-app-in-browser", ready="/api")
        browser = self.opened("Notes", "jupyter")
        browser.wait(lambda: browser.run("return Boolean(window.jupyterapp)"), "no JupyterLab")
        # A kernel over a WebSocket, with the token against forged requests that its scripts read from a cookie.
        result = browser.run("""
            const manager = window.jupyterapp.serviceManager;
            return (async () => {
                await manager.ready;
                const session = await manager.sessions.startNew({ path: "x.ipynb", type: "notebook", name: "x", kernel: { name: "python3" } });
                return new Promise((done) => {
                    const future = session.kernel.requestExecute({ code: "print(6 * 7)" });
                    future.onIOPub = (message) => { if (message.content.text) done(message.content.text); };
                });
            })();""")
        self.assertEqual(result.strip(), "42")

    def test_syncthing(self):
        """A folder is renamed by its page's own requests, and the page hears of it by a long poll."""
        self.run_server(
            program("syncthing"), "serve", "--no-browser", "--no-restart", f"--home={self.here}", f"--gui-address={self.url}",
            STNOUPGRADE="1")
        browser = self.opened("Files", "syncthing")
        folder = '//*[@id="folders"]//button[contains(., "{}")]'
        browser.find(folder.format("Default Folder"))
        rest = "angular.element(document.body).injector().get('$http')"
        status = browser.run(f"return {rest}.get('rest/system/status').then(({{ data }}) => data)")
        self.assertRegex(status["myID"], r"^([A-Z2-7]{7}-){7}[A-Z2-7]{7}$")
        # Without the token that its scripts read from a cookie it takes nothing.
        self.assertEqual(browser.run("return fetch('rest/system/status').then(({ status }) => status)"), 403)
        browser.run(f"return {rest}.patch('rest/config/folders/default', {{ label: 'Photographs' }}).then(() => true)")
        browser.find(folder.format("Photographs"))

    def test_cockpit(self):
        """Somebody who has an account here logs in by PAM, which takes a real root, and runs a command over the WebSocket."""
        entry = f"anna:{{}}:4711:4711::{self.here}/home:/bin/sh\n"
        secret = crypt.crypt("lamp and key", crypt.mksalt(crypt.METHOD_SHA512))
        for name, line in (("passwd", entry.format("x")), ("group", "anna:x:4711:\n"),
                           ("shadow", f"anna:{secret}:20000:0:99999:7:::\n")):
            # Here alone: this process has mounts of its own.
            shutil.copy2(f"/etc/{name}", self.here / name)
            with open(self.here / name, "a") as file:
                file.write(line)
            subprocess.run(["mount", "--bind", self.here / name, f"/etc/{name}"], check=True)
            self.addCleanup(subprocess.run, ["umount", f"/etc/{name}"], check=True)
        home = self.here / "home"
        home.mkdir()
        os.chown(home, 4711, 4711)
        self.here.chmod(0o755)
        self.run_server(program("cockpit-ws"), "--no-tls", "--address=127.0.0.1", f"--port={self.port}", ready="/ping")
        browser = self.opened("Machine", "cockpit")
        browser.type('//input[@id="login-user-input"]', "anna")
        browser.type('//input[@id="login-password-input"]', "lamp and key")
        browser.click('//button[@id="login-button"]')
        browser.wait(lambda: browser.run("return Boolean(window.cockpit?.transport?.csrf_token)"), "nobody is in")
        said = browser.run("return new Promise((good, bad) => cockpit.script('id -un; echo $((6 * 7))').then(good, bad))")
        self.assertEqual(said.split(), ["anna", "42"])

    def test_octoprint(self):
        """Its wizard, its first user, and a printer of its own making that tells of itself by its socket."""
        (self.here / "config.yaml").write_text(
            "plugins: {virtual_printer: {enabled: true}}\nserver: {onlineCheck: {enabled: false}, pluginBlacklist: {enabled: false}}\n")
        self.run_server(
            program("octoprint/octoprint"), "serve", "--iknowwhatimdoing", f"--basedir={self.here}", "--host=127.0.0.1",
            f"--port={self.port}", ready="/online.gif")
        browser = self.opened("Printer", "octoprint")
        browser.find('//*[@id="wizard_dialog"]')
        socket_is_open = lambda: browser.run(
            "const { socket } = window.OctoPrint?.socket ?? {}; return socket?.readyState === 1 && socket.transport === 'websocket'")
        browser.wait(socket_is_open, "no socket")
        # As its wizard and its login send it, with the token that its scripts read from a cookie.
        self.assertEqual("anna", browser.run("""return (async () => {
            await OctoPrint.postJson("plugin/corewizard/acl", { user: "anna", pass1: "lamp-and-key", pass2: "lamp-and-key" });
            await OctoPrint.wizard.finish(["corewizard"]);
            return (await OctoPrint.browser.login("anna", "lamp-and-key")).name;
        })();"""))
        # From now on it shows strangers its login in place of its front page, and is known all the same.
        self.hub.run("hub", "service", "add", "The same", self.url, "--port", str(free_port()))
        self.addCleanup(self.hub.run, "hub", "service", "remove", "The same")
        self.assertIn('"kind":"octoprint","max_body":null,"name":"The same"', self.hub.run("hub", "service", "--json"))
        browser.open(f"https://{HOST}:{self.at}/")
        browser.wait(lambda: browser.run("return document.readyState === 'complete'") and socket_is_open(), "no socket")
        # Its page may load itself once more when it hears of the login.
        self.hub.wait_for(lambda: self.is_connected(browser), "it connects")
        browser.wait(lambda: "Operational" in (browser.run("return document.querySelector('#state')?.textContent") or ""), "no printer")

    def is_connected(self, browser):
        try:
            return browser.run("return OctoPrint.connection.connect({ port: 'VIRTUAL' }).then(() => true)")
        except Failed:
            return False

    def test_mosquitto(self):
        """A broker is no web service: what is at it stands in the house, and the hub's page sets it."""
        (self.here / "broker.conf").write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\n")
        self.run_server(program("mosquitto"), "-c", str(self.here / "broker.conf"), ready=None)

        def client(name, *arguments):
            return [program(f"mosquitto_{name}"), "-h", "127.0.0.1", "-p", str(self.port), *arguments]
        # A lamp that does what it is told, and tells of it.
        thing = {"name": "Hall lamp", "state_topic": "lamp", "command_topic": "lamp/set", "unique_id": "x"}
        lamp = subprocess.Popen(client("sub", "-t", "lamp/set"), stdout=subprocess.PIPE, text=True)
        self.addCleanup(lamp.wait)
        self.addCleanup(lamp.stdout.close)
        self.addCleanup(lamp.terminate)
        for topic, message in (("homeassistant/light/lamp/config", json.dumps(thing)), ("lamp", "OFF")):
            subprocess.run(client("pub", "-r", "-t", topic, "-m", message), check=True)
        self.hub.run("hub", "join", "mqtt", f"mqtt://127.0.0.1:{self.port}")
        self.addCleanup(self.hub.run, "hub", "join", "remove", "mqtt")
        browser = self.entered()
        switch = '//li[contains(@class, "card")][contains(., "Hall lamp")]//button[@role="switch"][@aria-checked="{}"]'
        browser.click(switch.format("false"))
        self.assertEqual(lamp.stdout.readline(), "ON\n")
        subprocess.run(client("pub", "-r", "-t", "lamp", "-m", "ON"), check=True)
        browser.find(switch.format("true"))


if __name__ == "__main__":
    unittest.main()
