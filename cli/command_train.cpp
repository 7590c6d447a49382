#include "flags.hpp"
namespace fonds::cli { int run_train(const Arguments&) { return 0; } }
