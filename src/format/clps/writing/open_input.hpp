// Inputs whatever they are compressed with.
#pragma once

#include <memory>

#include <fonds/byte_source.hpp>
#include <fonds/codec.hpp>
#include <fonds/error.hpp>
#include <fonds/reader.hpp>

namespace fonds::clps {

// The decoder of an input by its content: plain, or compressed, also twice. Its peek() shows what
// the input is. Errors: those of reading.
Result<std::unique_ptr<Decoder>> open_input(std::shared_ptr<ByteSource> source,
                                            const ReadOptions& options);

}  // namespace fonds::clps
