// Transformers that are programs of the user.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/poll.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>

namespace fonds::recordio {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

tl::unexpected<Error> system_failure(std::string_view what, int number) {
  return fail(ErrorCode::Io, fmt::format("{}: {}", what, std::generic_category().message(number)));
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  void close() {
    if (number_ >= 0) {
      ::close(std::exchange(number_, -1));
    }
  }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read_end, write_end;
};

// Close-on-exec, and none of the three standard descriptors, onto which the child's ends go.
Result<Descriptor> away_from_standard(int number) {
  Descriptor first(number);
  if (number > STDERR_FILENO) {
    return first;
  }
  Descriptor moved(fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return moved.open() ? Result<Descriptor>(std::move(moved)) : system_failure("fcntl", errno);
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return system_failure("pipe", errno);
  }
  auto read_end = away_from_standard(ends[0]);
  auto write_end = away_from_standard(ends[1]);
  FONDS_TRY(Descriptor reading, std::move(read_end));
  FONDS_TRY(Descriptor writing, std::move(write_end));
  return Pipe{std::move(reading), std::move(writing)};
}

// While it lives, a write to a pipe that nobody reads gives EPIPE to this thread and no signal.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;
  ~NoPipeSignal() {
    const timespec at_once = {};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &at_once) == -1 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t pipe_ = {}, before_ = {};
  bool was_pending_ = false;
};

// A started program; waited for at the latest when it is destroyed.
class Child {
 public:
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      wait();
    }
  }

  Status start(const std::string& command, const std::string& argument, const Descriptor& in,
               const Descriptor& out, const sigset_t& mask) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, in.number(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out.number(), STDOUT_FILENO);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    std::array<std::string, 5> words = {"sh", "-c", command, "transformer", argument};
    std::array<char*, 6> pointers = {};
    std::transform(words.begin(), words.end(), pointers.begin(),
                   [](std::string& word) { return word.data(); });
    pid_t pid = 0;
    const int verdict = posix_spawn(&pid, "/bin/sh", &files, &attributes, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (verdict != 0) {
      return system_failure("/bin/sh", verdict);
    }
    pid_ = pid;
    return {};
  }

  // The status of waitpid(), or -1 with errno.
  int wait() {
    int status = 0;
    pid_t waited = 0;
    do {
      waited = waitpid(pid_, &status, 0);
    } while (waited == -1 && errno == EINTR);
    pid_ = -1;
    return waited == -1 ? -1 : status;
  }

 private:
  pid_t pid_ = -1;
};

// Gives `in` to the child and takes what it writes, whichever is possible, until it has written
// all.
Status exchange(ByteView in, Descriptor& to_child, const Descriptor& from_child, std::uint64_t most,
                Buffer& out) {
  if (fcntl(to_child.number(), F_SETFL, O_NONBLOCK) == -1) {
    return system_failure("fcntl", errno);
  }
  while (true) {
    if (in.empty()) {
      to_child.close();
    }
    std::array<pollfd, 2> ready = {pollfd{from_child.number(), POLLIN, 0},
                                   pollfd{to_child.number(), POLLOUT, 0}};
    if (poll(ready.data(), to_child.open() ? 2 : 1, -1) == -1) {
      if (errno == EINTR) {
        continue;
      }
      return system_failure("poll", errno);
    }
    if (ready[1].revents != 0) {
      const ssize_t n = write(to_child.number(), in.data(), in.size());
      if (n >= 0) {
        in = in.subspan(static_cast<std::size_t>(n));
      } else if (errno == EPIPE) {
        in = {};  // it has read enough; its exit status tells whether that is well
      } else if (errno != EAGAIN && errno != EINTR) {
        return system_failure("writing to the command", errno);
      }
    }
    if (ready[0].revents != 0) {
      const std::uint64_t left = most - out.size();
      const auto wanted =
          static_cast<std::size_t>(left < kPiece ? left + 1 : std::uint64_t{kPiece});
      const ssize_t n = read(from_child.number(), out.room(wanted).data(), wanted);
      if (n == 0) {
        return {};
      }
      if (n > 0 && static_cast<std::uint64_t>(n) > left) {
        return fail(ErrorCode::LimitExceeded,
                    fmt::format("the command wrote more than {} bytes, which is the limit", most));
      }
      if (n > 0) {
        out.commit(static_cast<std::size_t>(n));
      } else if (errno != EINTR) {
        return system_failure("reading from the command", errno);
      }
    }
  }
}

// `failure` is the code if the command itself says that it failed.
Status run(const std::string& command, const std::string& argument, ErrorCode failure, ByteView in,
           std::uint64_t most, Buffer& out) {
  out.clear();
  const NoPipeSignal guard;
  Child child;
  {
    FONDS_TRY(Pipe to_child, make_pipe());
    FONDS_TRY(Pipe from_child, make_pipe());
    FONDS_CHECK(child.start(command, argument, to_child.read_end, from_child.write_end,
                            guard.mask_before()));
    to_child.read_end.close();
    from_child.write_end.close();
    FONDS_CHECK(exchange(in, to_child.write_end, from_child.read_end, most, out));
  }
  const int status = child.wait();
  if (status == -1) {
    return system_failure("waiting for the command", errno);
  }
  if (WIFSIGNALED(status)) {
    return fail(failure, fmt::format("the command \"{}\" was ended by signal {}", command,
                                     WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) != 0) {
    return fail(failure, fmt::format("the command \"{}\" ended with exit status {}", command,
                                     WEXITSTATUS(status)));
  }
  return {};
}

class CommandTransformer final : public Transformer {
 public:
  CommandTransformer(std::string apply, std::string undo, std::string argument)
      : apply_(std::move(apply)), undo_(std::move(undo)), argument_(std::move(argument)) {}

  Status apply(ByteView in, Buffer& out) override {
    if (apply_.empty()) {
      return fail(ErrorCode::Unsupported, "there is no command to apply the transformer");
    }
    return run(apply_, argument_, ErrorCode::Io, in, std::numeric_limits<std::uint64_t>::max(),
               out);
  }
  Status undo(ByteView in, std::uint64_t most, Buffer& out) override {
    if (undo_.empty()) {
      return fail(ErrorCode::Unsupported, "there is no command to undo the transformer");
    }
    return run(undo_, argument_, ErrorCode::Corrupt, in, most, out);
  }

 private:
  std::string apply_, undo_, argument_;
};

}  // namespace

TransformerFactory transformer_of_commands(std::string apply, std::string undo) {
  return [apply = std::move(apply), undo = std::move(undo)](
             std::string_view argument) -> Result<std::unique_ptr<Transformer>> {
    if (argument.find('\0') != std::string_view::npos) {
      return fail(ErrorCode::Unsupported,
                  "the transformer's argument has a zero byte, which no command can be given");
    }
    return std::make_unique<CommandTransformer>(apply, undo, std::string(argument));
  };
}

}  // namespace fonds::recordio
