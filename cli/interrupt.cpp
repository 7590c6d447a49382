#include "interrupt.hpp"

#include <csignal>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "flags.hpp"

namespace fonds::cli {
namespace {

// Signal handlers can reach nothing but globals.
volatile std::sig_atomic_t writing_files = 0;
volatile std::sig_atomic_t was_interrupted = 0;
pthread_t main_thread;

void on_interrupt(int signal) {
  if (writing_files == 0 || was_interrupted != 0) {
    ::_exit(signal == SIGINT ? static_cast<int>(Exit::Interrupted) : 128 + signal);
  }
  was_interrupted = 1;
}

// Only ends a system call that waits.
void on_wake(int) {}

// A mapped file that becomes shorter while it is read.
void on_lost_page(int) {
  constexpr char kWords[] = "fonds: a file became shorter while it was read\n";
  static_cast<void>(::write(STDERR_FILENO, kWords, sizeof kWords - 1));
  ::_exit(static_cast<int>(Exit::Unreadable));
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  main_thread = ::pthread_self();
  struct sigaction wake = {};
  wake.sa_handler = on_wake;
  ::sigaction(SIGUSR1, &wake, nullptr);
  struct sigaction lost = {};
  lost.sa_handler = on_lost_page;
  ::sigaction(SIGBUS, &lost, nullptr);
  // A closed pipe is noticed by the write that fails.
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);
}

void begin_writing_files() { writing_files = 1; }
void wake_main_thread() { ::pthread_kill(main_thread, SIGUSR1); }
bool interrupted() { return was_interrupted != 0; }

}  // namespace fonds::cli
