// The border at which exceptions become errors.
#pragma once

#include <exception>
#include <new>

#include <fonds/error.hpp>

namespace fonds {

// Runs `work`; exceptions of memory, threads and callbacks become errors.
template <typename Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::LimitExceeded, "out of memory");
  } catch (const std::exception& error) {
    return fail(ErrorCode::Internal, error.what());
  } catch (...) {
    return fail(ErrorCode::Internal, "an exception of unknown kind");
  }
}

}  // namespace fonds
