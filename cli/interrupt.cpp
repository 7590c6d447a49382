#include "interrupt.hpp"

#include <csignal>

#include <signal.h>
#include <unistd.h>

#include "flags.hpp"

namespace fonds::cli {
namespace {

// Signal handlers can reach nothing but globals.
volatile std::sig_atomic_t writing_files = 0;
volatile std::sig_atomic_t was_interrupted = 0;

void on_interrupt(int) {
  if (writing_files == 0 || was_interrupted != 0) {
    ::_exit(static_cast<int>(Exit::Interrupted));
  }
  was_interrupted = 1;
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  // A closed pipe is noticed by the write that fails.
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);
}

void begin_writing_files() { writing_files = 1; }
bool interrupted() { return was_interrupted != 0; }

}  // namespace fonds::cli
