// Decimal numbers as binary64.
#pragma once

#include <string_view>

namespace fonds {

// The double that is nearest to a decimal number: an optional `-`, digits, and perhaps a point with
// digits and an exponent, as JSON spells them; a missing digit before or behind the point is none.
// Of what is beyond the range of doubles the infinity or the zero of its sign. Of other text 0.
double nearest_double(std::string_view number);

}  // namespace fonds
