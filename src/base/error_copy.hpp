// The same error once more: for whoever gives one to several callers.
#pragma once

#include <fonds/error.hpp>

namespace fonds {

inline Error copy_of(const Error& error) {
  return Error(error.code(), error.message(), error.where()).as(error.rule());
}

}  // namespace fonds
