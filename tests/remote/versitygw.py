"""versitygw, an S3 server that checks signatures, over a folder; and a small client of our own to ask it with."""
import datetime
import hashlib
import hmac
import html
import http.client
import os
import re
import socket
import ssl
import subprocess
import time
import urllib.parse
from pathlib import Path

from program import ROOT
from remote.nginx import free_port

KEY, SECRET, REGION = "fonds-test-key", "fonds-test-secret/+x", "us-east-1"


def program():
    """What make_s3_server of script/common.sh has built; None where it could not."""
    path = Path(os.environ.get("FONDS_S3_SERVER", ROOT / "build/go/versitygw"))
    return path if os.access(path, os.X_OK) else None


def hmac_sha256(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def encoded(text):
    return urllib.parse.quote(text, safe="-._~")


class VersityGw:
    """`folder` gets what the server keeps. Objects of bucket b lie as files in `data`/b."""

    def __init__(self, folder, region=REGION, tls=None):
        self.folder, self.region, self.tls = Path(folder), region, tls
        self.data, self.sidecar = self.folder / "data", self.folder / "sidecar"
        for path in (self.data, self.sidecar):
            path.mkdir(parents=True)
        while not self.start():  # somebody else took the port meanwhile
            pass

    def start(self):
        """`tls`: paths of certificate and key. Attributes of files are not on all file systems: a folder keeps them."""
        self.port = free_port()
        secure = ["--cert", self.tls[0], "--key", self.tls[1]] if self.tls else []
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [program(), "--port", f"127.0.0.1:{self.port}", "--region", self.region, "--quiet", *secure,
                 "posix", "--sidecar", self.sidecar, self.data], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "ROOT_ACCESS_KEY": KEY, "ROOT_SECRET_KEY": SECRET})
        while self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return True
            except OSError:
                time.sleep(0.02)
        words = (self.folder / "log").read_text()
        assert "address already in use" in words, words
        return False

    @property
    def endpoint(self):
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    def environment(self, endpoint=None, **changes):
        """The environment of a program that uses the server, by `endpoint` if given; None takes a variable away."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        told = {"AWS_ENDPOINT_URL_S3": endpoint or self.endpoint, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET,
                "AWS_REGION": self.region, "AWS_EC2_METADATA_DISABLED": "true", "HOME": str(self.folder), **changes}
        return {**clean, **{name: value for name, value in told.items() if value is not None}}

    def ask(self, method, path, query=(), body=b"", headers=()):
        """A signed request for the unescaped path; the status, the headers and the body of its reply."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        target = "/".join(encoded(step) for step in path.split("/"))
        arguments = "&".join(f"{encoded(name)}={encoded(value)}" for name, value in sorted(query))
        digest = hashlib.sha256(body).hexdigest()
        sent = {**dict(headers), "host": f"127.0.0.1:{self.port}", "x-amz-content-sha256": digest, "x-amz-date": now}
        names = sorted(name.lower() for name in sent)
        lower = {name.lower(): value for name, value in sent.items()}
        canonical = "\n".join([method, target, arguments, *(f"{name}:{lower[name]}" for name in names), "", ";".join(names), digest])
        scope = f"{now[:8]}/{self.region}/s3/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        key = ("AWS4" + SECRET).encode()
        for step in scope.split("/"):
            key = hmac_sha256(key, step)
        signature = hmac_sha256(key, text).hex()
        sent["Authorization"] = f"AWS4-HMAC-SHA256 Credential={KEY}/{scope}, SignedHeaders={';'.join(names)}, Signature={signature}"
        if self.tls:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=ssl.create_default_context(cafile=self.tls[0]))
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, target + ("?" + arguments if arguments else ""), body=body or None, headers=sent)
            reply = connection.getresponse()
            return reply.status, dict(reply.getheaders()), reply.read()
        finally:
            connection.close()

    def make_bucket(self, bucket):
        status, _, body = self.ask("PUT", f"/{bucket}")
        assert status == 200, body

    def put(self, bucket, key, data):
        status, _, body = self.ask("PUT", f"/{bucket}/{key}", body=data)
        assert status == 200, body

    def get(self, bucket, key):
        """The bytes of an object; None if there is none."""
        status, _, body = self.ask("GET", f"/{bucket}/{key}")
        assert status in (200, 404), body
        return body if status == 200 else None

    def keys(self, bucket):
        status, _, body = self.ask("GET", f"/{bucket}", [("list-type", "2")])
        assert status == 200 and b"<IsTruncated>true" not in body, body
        return [html.unescape(key.decode()) for key in re.findall(rb"<Key>(.*?)</Key>", body)]

    def uploads(self, bucket):
        """Keys of the uploads that were begun, and neither completed nor aborted."""
        status, _, body = self.ask("GET", f"/{bucket}", [("uploads", "")])
        assert status == 200, body
        return [html.unescape(key.decode()) for key in re.findall(rb"<Upload>.*?<Key>(.*?)</Key>", body, re.S)]

    def clear(self, bucket):
        """Takes away what lies in a bucket, and ends its uploads."""
        for key in self.keys(bucket):
            assert self.ask("DELETE", f"/{bucket}/{key}")[0] == 204
        _, _, body = self.ask("GET", f"/{bucket}", [("uploads", "")])
        for key, upload in re.findall(rb"<Upload>.*?<Key>(.*?)</Key>.*?<UploadId>(.*?)</UploadId>", body, re.S):
            assert self.ask("DELETE", f"/{bucket}/{html.unescape(key.decode())}", [("uploadId", upload.decode())])[0] == 204

    def stop(self):
        self.process.kill()  # asked kindly, it waits for connections that nobody uses
        self.process.wait()
