#include "format/warc/reading/association.hpp"

#include "format/warc/reading/grammar.hpp"

namespace fonds::warc {

Tie::Tie(const Header& header)
    : arc(header.dialect == Dialect::Arc),
      warcinfo(arc ? header.arc_header : header.type == "warcinfo"),
      said(!header.warcinfo_id.empty()) {
  if (warcinfo) {
    id = header.id;
  }
}

Association::Verdict Association::next(const Tie& tie, bool written) {
  family_ = tie.arc ? 1 : 0;
  Warcinfo& own = own_[family_];
  if (tie.warcinfo) {
    own = {++seen_, tie.id};
    if (written) {
      file_[family_] = own;
    }
    return Verdict::Kept;
  }
  if (tie.said || own.number == file_[family_].number) {
    return Verdict::Kept;
  }
  return !tie.arc && !own.id.empty() ? Verdict::Name : Verdict::Unknown;
}

}  // namespace fonds::warc
