// delay_proxy MILLISECONDS HOST PORT: listens on a port of the loopback interface, which it prints,
// and passes connections on to HOST:PORT; what a client sends arrives so many milliseconds later,
// which adds that to each request. What comes back is passed on at once and without a copy.

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

sockaddr_in address(const char* host, std::uint16_t port) {
  sockaddr_in made = {};
  made.sin_family = AF_INET;
  made.sin_port = htons(port);
  if (::inet_pton(AF_INET, host, &made.sin_addr) != 1) {
    std::fprintf(stderr, "delay_proxy: %s is no IPv4 address\n", host);
    std::exit(2);
  }
  return made;
}

void pass_requests(int client, int server, std::chrono::milliseconds delay) {
  std::array<char, 65536> bytes;
  for (;;) {
    const ssize_t n = ::recv(client, bytes.data(), bytes.size(), 0);
    if (n <= 0) {
      break;
    }
    std::this_thread::sleep_for(delay);
    for (ssize_t sent = 0; sent < n;) {
      const ssize_t step =
          ::send(server, bytes.data() + sent, static_cast<std::size_t>(n - sent), 0);
      if (step <= 0) {
        break;
      }
      sent += step;
    }
  }
  ::shutdown(server, SHUT_WR);
}

void pass_replies(int client, int server) {
  std::array<int, 2> pipe = {};
  if (::pipe(pipe.data()) != 0) {
    return;
  }
  ::fcntl(pipe[1], F_SETPIPE_SZ, kPiece);
  for (;;) {
    ssize_t n = ::splice(server, nullptr, pipe[1], nullptr, kPiece, SPLICE_F_MOVE);
    if (n <= 0) {
      break;
    }
    while (n > 0) {
      const ssize_t step =
          ::splice(pipe[0], nullptr, client, nullptr, static_cast<std::size_t>(n), SPLICE_F_MOVE);
      if (step <= 0) {
        break;
      }
      n -= step;
    }
    if (n > 0) {
      break;
    }
  }
  ::close(pipe[0]);
  ::close(pipe[1]);
  ::shutdown(client, SHUT_RDWR);
}

void serve(int client, const sockaddr_in& upstream, std::chrono::milliseconds delay) {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(server, reinterpret_cast<const sockaddr*>(&upstream), sizeof upstream) == 0) {
    std::thread replies(pass_replies, client, server);
    pass_requests(client, server, delay);
    replies.join();
  }
  ::close(server);
  ::close(client);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: delay_proxy MILLISECONDS HOST PORT\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  const std::chrono::milliseconds delay(std::atoi(argv[1]));
  const sockaddr_in upstream = address(argv[2], static_cast<std::uint16_t>(std::atoi(argv[3])));
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here = address("127.0.0.1", 0);
  socklen_t size = sizeof here;
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&here), size) != 0 ||
      ::listen(listener, 128) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&here), &size) != 0) {
    std::perror("delay_proxy");
    return 1;
  }
  std::printf("%u\n", unsigned{ntohs(here.sin_port)});
  std::fflush(stdout);
  for (;;) {
    const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0) {
      std::thread(serve, client, upstream, delay).detach();
    }
  }
}
