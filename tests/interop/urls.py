"""URLs that try every rule of SURT keys, made at random but always the same."""
import random

IDN = ["exämple", "BÜCHER", "straße", "日本語", "例え。テスト", "ПРИМЕР", "παράδειγμας", "שלום", "عربي", "☃", "ﬁ", "Ａ", "①", "a\u00adb",
       "a\u200db", "x\u0301", "ไทย", "भारत", "한국", "xn--exmple-cua"]
ESCAPES = "%25%32%35 %2541 %%34%31 %2 % %zz %252525 %u1234 %2e %2F %3f %26 %3D %23 %20 %c3%a9 %e9 %00 %0a %%% %2%35 %41".split()
SCHEMES = ("http:// http:// http:// https:// https:// HTTP:// Https:// // http: http:/// https:/// ftp:// http://http:// http://https:// "
           "http://HTTP:// httpx:// http+x: whois:// metadata:// file:/// dns: dns:// urn: URN:uuid: mailto: data: screenshot:http:// a: "
           "1a: warcinfo: filedesc: filedesc:// blob: about: x-y.z+1:// :").split(" ") + [""]
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Urls:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def word(self, n, alphabet=LETTERS):
        return "".join(self.random.choice(alphabet) for _ in range(n))

    def text(self, most=6, alphabet="abcXYZ019-._~!$&'()*+,;=:@/?%[]{}|\\^`\" "):
        return self.word(self.random.randrange(most), alphabet)

    def label(self):
        return self.pick("www", "www1", "www23", "wwwx", "WWW", "example", "Archive", "a", "b-c", "a_b", "x" * 63, "com", "org", "co", "uk", "",
                         "-", "123", "1a", "%41", "%43%", "(x)", "~", self.pick(*IDN))

    def host(self):
        kind = self.random.randrange(12)
        if kind < 6:
            host = ".".join(self.label() for _ in range(self.random.randrange(1, 5)))
        elif kind < 8:
            host = ".".join(self.pick("0", "1", "255", "256", "010", "08", "0x7f", "00", "017", "65535", "65536", "16777215", "16777216",
                                      "4294967296", "99999999999999999999", "192", "") for _ in range(self.random.randrange(1, 6)))
        elif kind < 10:
            host = self.pick("[2001:db8::1]", "[::1]", "[FE80::1%25eth0]", "[fe80::1%eth0]", "[::ffff:1.2.3.4]", "[", "]", "[x", "a[b]c", "[]")
        else:
            host = self.pick("www.example.com", "example.com")
        if not host.isascii():
            return host  # a port or a user may become part of a name, which IDNA then does not allow
        if self.random.random() < 0.15:
            host = self.pick("user@", "u:p@", "@", "a@b@", "%40@", ":@") + host
        if self.random.random() < 0.1:
            host += self.pick(".", "..", "...")
        if self.random.random() < 0.25:
            host += self.pick(":80", ":443", ":8080", ":", "::", ":0", ":00080", ":65535", ":65536", ":abc", ":80:90", ":-1", ":8_0", ":%38")
        return host

    def session(self):
        n = self.pick(32, 32, 31, 33)
        return self.pick(self.pick("jsessionid=", "JSESSIONID=", "phpsessid=", "sid=", "SID=", "xsid=") + self.word(n),
                         "ASPSESSIONID" + self.word(8, "abcdefgh") + "=" + self.word(24, "ABCDabcd"),
                         f"cfid={self.word(self.random.randrange(3))}&cftoken={self.word(self.random.randrange(3))}", "cfid=x", "cftoken=y")

    def asp(self):
        one = self.word(self.pick(24, 24, 23))
        return self.pick(f"({one})", f"(S({one}))", f"(S({one})F({self.word(24)}))", f"(S({one})", "()")

    def step(self):
        return self.pick("", ".", "..", "...", "a", "Path", "page.aspx", "Page.ASPX", ".aspx", self.asp(), self.asp(), self.pick(*ESCAPES),
                         self.text(), self.session(), "é", "%2e%2e", "a%3fb", "http://x")

    def field(self):
        return self.pick("a=1", "b=2", "A=0", "a", "=", "", "a=", "a-b=1", "a=1=2", self.session(), self.session(),
                         self.pick(*ESCAPES) + "=" + self.pick(*ESCAPES), self.text(), "q=%E2%82%AC", "x=/y/", "é=ü")

    def url(self):
        path = "" if self.random.random() < 0.1 else "/" + "/".join(self.step() for _ in range(self.random.randrange(6)))
        query = "" if self.random.random() < 0.4 else "?" + self.pick("&", "&", ";").join(self.field() for _ in range(self.random.randrange(6)))
        return self.pick(*SCHEMES) + self.host() + path + query + self.pick("", "", "", "#", "#frag", "#a?b", "#?")
