"""Archives that are large enough to be fetched in many pieces."""
import random


def make_warc(path):
    """12 MB of records that do not compress."""
    rng, records = random.Random(5), []
    for number in range(1200):
        block = rng.randbytes(rng.randrange(20_000))
        records.append(
            b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:%d>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
            b"WARC-Target-URI: http://a.example/%d\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
            % (number, number, len(block), block))
    path.write_bytes(b"".join(records))


def make_log(path):
    rng = random.Random(7)
    with open(path, "wb") as log:
        for n in range(12_000):
            level = b"ERROR" if n % 50 == 0 else b"INFO"
            log.write(b'{"ts":%d,"n":%d,"id":"%s","level":"%s"}\n'
                      % (1700000000000 + n, n, rng.randbytes(30).hex().encode(), level))
