"""A proxy in front of a server that spoils replies as a plan says."""
import http.client
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# What can happen to one reply. `Again`: the client may hope for a better one.
FAULTS = ("reset", "status-500", "status-503", "status-429", "cut", "cut-head", "long", "wrong-range", "no-range", "wrong-length", "drip", "garbage")
# What can happen to one request that sends something. The server has done what it was asked for, and the client does not hear of it:
LOST_REPLIES = ("reset", "status-500", "status-503", "cut-head", "garbage", "error-200")
# The server hears nothing, or not what was sent:
LOST_REQUESTS = ("reset-sending", "refuse-500", "refuse-503", "refuse-429", "refuse-error-200", "flip")
S3_ERROR = b"<?xml version='1.0'?><Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>"


class FaultProxy:
    """`plan(number, path, range)` names the fault of the reply with this number, or None. Counts what it saw.

    `upload_plan(method, path)` does so for requests that change something; it may also wait, or do something itself.
    No reply is given before `wait_for` requests are there."""

    def __init__(self, host, port, plan=lambda number, path, span: None, latency=0.0, upload_plan=lambda method, path: None, wait_for=0):
        self.plan, self.upload_plan, self.latency, self.lock = plan, upload_plan, latency, threading.Lock()
        enough, self.waited_in_vain = threading.Event(), False
        self.requests, self.bytes, self.faults, self.log = 0, 0, [], []
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
                if not enough.wait(60):  # against hanging only
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
                upstream.request(self.command, self.path, body=body or None, headers={k: v for k, v in self.headers.items() if k.lower() != "connection"})
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
                    data, length = data + b"more" * 100, length + 400
                elif fault == "wrong-range":
                    headers = [(k, "bytes 7-8/9" if k.lower() == "content-range" else v) for k, v in headers]
                elif fault == "no-range":
                    headers = [(k, v) for k, v in headers if k.lower() != "content-range"]
                elif fault == "wrong-length":
                    length = max(0, length - 3)
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
                        self.wfile.write(data)
                    except OSError:
                        self.close_connection = True
                if fault in ("cut", "wrong-length", "long"):
                    self.close_connection = True

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, client_address):
                pass

        self.server = Server(("127.0.0.1", 0), Reply)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, name, way="files"):
        return f"http://127.0.0.1:{self.port}/{way}/{name}"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
