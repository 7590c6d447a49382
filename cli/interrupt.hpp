// Ctrl-C: the program ends at once, or, while it writes files, as soon as the temporary ones are
// removed.
#pragma once

namespace fonds::cli {

void install_signal_handlers();
// From here on an interrupt only sets interrupted(), for somebody who looks and cleans up.
void begin_writing_files();
bool interrupted();
// Ends a read that waits for a pipe: the interrupt may have come just before it began.
void wake_main_thread();

}  // namespace fonds::cli
