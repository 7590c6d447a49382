"""A proxy in front of a server that spoils replies as a plan says."""
import http.client
import random
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# What can happen to one reply, so that the client may hope for a better one.
PASSING = ("reset", "status-500", "status-503", "status-429", "status-408", "cut", "cut-head", "long", "wrong-range",
           "no-range", "wrong-length", "drip", "garbage")
# Of these it may not.
LASTING = ("status-403", "status-404", "status-416", "ignored-range", "replaced")
# What can happen to one request that sends something. The server has done what it was asked for, and the client does not hear of it:
LOST_REPLIES = ("reset", "status-500", "status-503", "cut-head", "garbage", "error-200")
# The server hears nothing, or not what was sent:
LOST_REQUESTS = ("reset-sending", "refuse-500", "refuse-503", "refuse-429", "refuse-error-200", "flip")
S3_ERROR = b"<?xml version='1.0'?><Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>"
# The server says no more, and goes on waiting. Not among the others, since a client has to wait for its clock.
STALLS = ("stall", "stall-head")


class ByRequest:
    """A plan that spoils replies by a seed: what happens to the n-th request for a range hangs on nothing else."""

    def __init__(self, seed, share, faults=PASSING):
        self.seed, self.share, self.faults, self.seen = seed, share, faults, {}

    def __call__(self, number, path, span):
        nth = self.seen[path, span] = self.seen.get((path, span), 0) + 1
        rng = random.Random(f"{self.seed} {path} {span} {nth}")
        if rng.random() >= self.share:
            return None
        fault = rng.choice(self.faults)
        # An object that was replaced before anything was read of it is another one, and no fault.
        return None if fault == "replaced" and (span or "bytes=0-").startswith("bytes=0-") else fault


class FaultProxy:
    """`plan(number, path, range)` names the fault of the reply with this number, or None. Counts what it saw.
    `drop_every`: of so many connections one is closed at once, and none serves two requests.

    `upload_plan(method, path)` does so for requests that change something; it may also wait, or do something itself.
    No reply but the first `at_once` is given before `wait_for` requests are there."""

    def __init__(self, host, port, plan=lambda number, path, span: None, latency=0.0, upload_plan=lambda method, path: None,
                 wait_for=0, at_once=0, drop_every=0):
        self.plan, self.upload_plan, self.latency, self.lock = plan, upload_plan, latency, threading.Lock()
        enough, self.waited_in_vain = threading.Event(), False
        self.requests, self.bytes, self.faults, self.log, self.connections, self.dropped = 0, 0, [], [], 0, 0
        proxy = self

        class Reply(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_HEAD(self):
                self.do_GET()

            def do_PUT(self):
                self.do_GET()

            do_POST = do_DELETE = do_PUT

            def do_GET(self):
                with proxy.lock:
                    proxy.requests += 1
                    number = proxy.requests
                    span = self.headers.get("Range")
                    proxy.log.append((self.command, self.path, span))
                    fault = proxy.plan(number, self.path, span) if self.command in ("GET", "HEAD") else None
                if self.command in ("PUT", "POST", "DELETE"):
                    fault = proxy.upload_plan(self.command, self.path)
                if fault:
                    with proxy.lock:
                        proxy.faults.append(fault)
                if proxy.requests >= wait_for:
                    enough.set()
                if number > at_once and not enough.wait(60):  # against hanging only
                    proxy.waited_in_vain = True
                if proxy.latency:
                    time.sleep(proxy.latency)
                length = int(self.headers.get("Content-Length") or 0)
                if fault == "reset-sending":
                    self.rfile.read(length // 2)
                    return self.reset()
                body = self.rfile.read(length)
                if fault and fault.startswith("refuse-"):
                    return self.refuse(fault.removeprefix("refuse-"))
                if fault == "flip" and body:
                    body = body[:-1] + bytes([body[-1] ^ 1])
                upstream = http.client.HTTPConnection(host, port, timeout=60)
                kept_back = ("connection", "range") if fault == "ignored-range" else ("connection",)
                upstream.request(self.command, self.path, body=body or None,
                                 headers={k: v for k, v in self.headers.items() if k.lower() not in kept_back})
                answer = upstream.getresponse()
                data = answer.read()
                upstream.close()
                self.give(fault, answer, data)

            def reset(self):
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()

            def refuse(self, how):
                status, data = (200, S3_ERROR) if how == "error-200" else (int(how), b"sorry")
                self.wfile.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)

            def give(self, fault, answer, data):
                headers = [(k, v) for k, v in answer.getheaders() if k.lower() not in ("connection", "transfer-encoding", "content-length")]
                status, length = answer.status, len(data)
                if drop_every:
                    headers.append(("Connection", "close"))
                    self.close_connection = True
                if fault == "stall-head":
                    self.wait_for_the_client()
                    return
                if fault == "reset":
                    return self.reset()
                if fault == "error-200":
                    status, data, length = 200, S3_ERROR, len(S3_ERROR)
                elif fault and fault.startswith("status-"):
                    status, data = int(fault[7:]), b"sorry"
                    headers, length = [("Retry-After", "0")] if status == 429 else [], len(data)
                elif fault == "cut":
                    data = data[: len(data) // 2]
                elif fault == "long":
                    data += b"more" * 100
                    length = len(data) if status == 206 else length
                elif fault == "replaced":
                    data = bytes(byte ^ 0x55 for byte in data)
                    headers = [(k, '"another"' if k.lower() == "etag" else v) for k, v in headers
                               if k.lower() != "last-modified"]
                elif fault == "wrong-range":
                    headers = [(k, "bytes 7-8/9" if k.lower() == "content-range" else v) for k, v in headers]
                elif fault == "no-range":
                    headers = [(k, v) for k, v in headers if k.lower() != "content-range"]
                elif fault == "wrong-length":
                    # Of a part, the range tells; of a whole that seems to be shorter, nothing does.
                    length = max(0, length - 3) if status == 206 else length + 3
                    data = data[:length]
                elif fault == "garbage":
                    self.wfile.write(b"\x00\x01garbage\r\n\r\n")
                    self.close_connection = True
                    return
                head = f"HTTP/1.1 {status} {http.client.responses.get(status, 'X')}\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers)
                head += f"Content-Length: {length}\r\n\r\n"
                if fault == "cut-head":
                    self.wfile.write(head[: len(head) // 2].encode("latin-1"))
                    self.close_connection = True
                    return
                self.wfile.write(head.encode("latin-1"))
                if self.command != "HEAD":
                    with proxy.lock:
                        proxy.bytes += len(data)
                    try:
                        if fault == "drip":
                            for begin in range(0, min(len(data), 40), 10):
                                self.wfile.write(data[begin: begin + 10])
                                self.wfile.flush()
                                time.sleep(0.005)
                            data = data[40:]
                        if fault == "stall":
                            self.wfile.write(data[: len(data) // 2])
                            self.wfile.flush()
                            self.wait_for_the_client()
                            return
                        self.wfile.write(data)
                    except OSError:
                        self.close_connection = True
                if fault in ("cut", "wrong-length", "long"):
                    self.close_connection = True

            def wait_for_the_client(self):
                self.close_connection = True
                try:
                    while self.connection.recv(4096):
                        pass
                except OSError:
                    pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def verify_request(self, request, client_address):
                proxy.connections += 1
                drops = drop_every and proxy.connections % drop_every == 0
                proxy.dropped += bool(drops)
                return not drops

            def handle_error(self, request, client_address):
                pass

        self.server = Server(("127.0.0.1", 0), Reply)
        self.port = self.server.server_address[1]
        # Often enough that stop() does not take half a second.
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def url(self, name, way="files"):
        return f"http://127.0.0.1:{self.port}/{way}/{name}"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
