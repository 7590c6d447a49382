"""Servers on the loopback interface in the place of those that the documents name."""
from program import ROOT
from remote import nginx, versitygw

COMMON_CRAWL = "https://data.commoncrawl.org/"
# The archive of the README's capture, and where that lies in it.
CRAWL = ("crawl-data/CC-MAIN-2024-22/segments/1715971057216.39/warc/"
         "CC-MAIN-20240517233122-20240518023122-00000.warc.gz")
CAPTURE = 80_610_731
BUCKET, KEY = "my-logs", "2024/service.clps"


def asks_a_server(command):
    return COMMON_CRAWL in command or "s3://" in command


def can_be_run():
    return nginx.program() is not None and versitygw.program() is not None


def make_crawl(path):
    """The crawl with its first record, and with the capture where it lies; nothing between."""
    whole = (ROOT / "tests/data/warc/third-party/cc-whirlwind.warc.gz").read_bytes()
    path.parent.mkdir(parents=True)
    with open(path, "wb") as crawl:
        crawl.write(whole[:516])
        crawl.seek(CAPTURE)
        crawl.write(whole[1023:])


class Servers:
    def __init__(self, folder):
        files = folder / "files"
        make_crawl(files / CRAWL)
        self.crawl = nginx.Nginx(folder, files)
        self.s3 = versitygw.VersityGw(folder / "s3")
        self.s3.make_bucket(BUCKET)
        self.s3.put(BUCKET, KEY, (ROOT / "tests/data/clp-s/v050-service.clps").read_bytes())

    def environment(self):
        return self.s3.environment()

    def as_run(self, command):
        return command.replace(COMMON_CRAWL, self.crawl.url(""))

    def as_shown(self, output):
        return output.replace(self.crawl.url(""), COMMON_CRAWL)

    def stop(self):
        self.crawl.stop()
        self.s3.stop()
