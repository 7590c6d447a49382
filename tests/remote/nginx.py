"""nginx over a folder, in the ways in which servers differ."""
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

CONFIG = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
worker_processes 1;
{user}
events {{ worker_connections 256; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  default_type application/octet-stream;
  server {{
    listen 127.0.0.1:{port};
    listen 127.0.0.1:{tls_port} ssl http2;
    ssl_certificate {folder}/cert.pem;
    ssl_certificate_key {folder}/key.pem;
    location /files/ {{ alias {root}/; }}
    location /whole/ {{ alias {root}/; max_ranges 0; }}
    location /stream/ {{ alias {root}/; sub_filter_types *; sub_filter "no archive has this line" ""; }}
    location /private/ {{ alias {root}/; auth_basic "archives"; auth_basic_user_file {folder}/users; }}
    location /slow/ {{ alias {root}/; limit_rate 200k; }}
    location /moved/ {{ rewrite ^/moved/(.*)$ /files/$1 redirect; }}
    location /elsewhere/ {{ return 302 http://localhost:{port}/private/; }}
    location /status/ {{ rewrite ^/status/(.*)$ /$1; return 403; }}
  }}
}}
"""


def program():
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Nginx:
    def __init__(self, folder, root):
        self.folder = Path(folder)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                        "-keyout", self.folder / "key.pem", "-out", self.folder / "cert.pem"], check=True, capture_output=True)
        digest = subprocess.run(["openssl", "passwd", "-apr1", "pass:word"], check=True, capture_output=True, text=True).stdout.strip()
        (self.folder / "users").write_text(f"me:{digest}\n")
        while not self.start(root):  # somebody else took a port meanwhile
            pass

    def start(self, root):
        self.port, self.tls_port = free_port(), free_port()
        (self.folder / "nginx.conf").write_text(CONFIG.format(
            folder=self.folder, root=root, port=self.port, tls_port=self.tls_port, user="user root;" if os.getuid() == 0 else ""))
        self.process = subprocess.Popen([program(), "-p", self.folder, "-c", self.folder / "nginx.conf"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while self.process.poll() is None:
            if (self.folder / "pid").exists() and (self.folder / "pid").read_text().strip() == str(self.process.pid):
                return True
            time.sleep(0.01)
        words = self.process.stderr.read()
        assert b"bind()" in words, words
        return False

    @property
    def certificate(self):
        return self.folder / "cert.pem"

    def url(self, name, way="files", tls=False, user=""):
        return f"{'https' if tls else 'http'}://{user}127.0.0.1:{self.tls_port if tls else self.port}/{way}/{name}"

    def stop(self):
        self.process.terminate()
        self.process.communicate()
