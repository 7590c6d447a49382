#include "index/companion_names.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fonds::index {
namespace {

using Names = std::vector<std::string>;

Names without_companions(Names names) {
  drop_companions(names);
  return names;
}

TEST(DropCompanions, OfAnArchiveInTheListAreDropped) {
  EXPECT_EQ(without_companions({"d/a.warc.gz", "d/a.warc.gz.cdx", "d/a.warc.gz.cdx.gz",
                                "d/a.warc.gz.cdxj", "d/a.warc.gz.cdxj.gz", "d/a.warc.gz.chk.lz4",
                                "d/a.warc.gz.gzidx", "d/a.warc.gz.idx", "d/a.warc.gz.offsets",
                                "d/b.warc"}),
            (Names{"d/a.warc.gz", "d/b.warc"}));
}

TEST(DropCompanions, WithoutTheirArchiveTheyStay) {
  EXPECT_EQ(without_companions({"d/a.warc.gz.cdxj", "e/a.warc.gz", ".idx"}),
            (Names{"d/a.warc.gz.cdxj", "e/a.warc.gz", ".idx"}));
}

TEST(DropCompanions, OtherEndingsAndTheOrderStay) {
  EXPECT_EQ(without_companions({"b", "a.log", "a.log.cdxj", "b.gz", "a.log.1"}),
            (Names{"b", "a.log", "b.gz", "a.log.1"}));
}

}  // namespace
}  // namespace fonds::index
