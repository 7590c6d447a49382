// The WARC family: 00.11, 0.12 to 1.1, and ARC, decided record by record.
#pragma once

#include <fonds/format.hpp>

namespace fonds::warc {

const Format& warc_format();

std::unique_ptr<VerifyPart> make_verify_part(const Archive& archive, const VerifyOptions& options);
std::unique_ptr<VerifyWhole> make_verify_whole(const VerifyOptions& options);

}  // namespace fonds::warc
