#include "format/warc/reading/association.hpp"

#include <gtest/gtest.h>

namespace fonds::warc {
namespace {

using Verdict = Association::Verdict;

Tie warcinfo(const char* id) {
  Tie tie;
  tie.warcinfo = true;
  tie.id = id;
  return tie;
}
Tie record(bool said = false) {
  Tie tie;
  tie.said = said;
  return tie;
}

TEST(Association, RecordsBehindTheirWarcinfoStayThere) {
  Association association;
  for (const char* const id : {"a", "b"}) {
    association.begin_archive();
    association.next(warcinfo(id), true);
    EXPECT_EQ(association.next(record(), true), Verdict::Kept);
  }
}

TEST(Association, RecordsWithoutWarcinfoAreTold) {
  Association association;
  association.begin_archive();
  EXPECT_EQ(association.next(record(), true), Verdict::Kept);
  association.next(warcinfo("a"), true);
  association.begin_archive();
  EXPECT_EQ(association.next(record(), true), Verdict::Unknown);
  EXPECT_EQ(association.file_id(), "a");
  EXPECT_EQ(association.next(record(true), true), Verdict::Kept);
}

TEST(Association, WarcinfoThatIsLeftOutIsNamed) {
  Association association;
  association.begin_archive();
  association.next(warcinfo("a"), true);
  association.next(warcinfo("b"), false);
  EXPECT_EQ(association.next(record(), true), Verdict::Name);
  EXPECT_EQ(association.own_id(), "b");
  association.next(warcinfo(""), false);
  EXPECT_EQ(association.next(record(), true), Verdict::Unknown);
}

TEST(Association, VersionBlocksOfArcGovernArcRecordsOnly) {
  Association association;
  Tie filedesc;
  filedesc.arc = filedesc.warcinfo = true;
  Tie line;
  line.arc = true;
  association.begin_archive();
  association.next(filedesc, true);
  EXPECT_EQ(association.next(line, true), Verdict::Kept);
  association.begin_archive();
  EXPECT_EQ(association.next(record(), true), Verdict::Kept);
  EXPECT_EQ(association.next(line, true), Verdict::Unknown);
}

}  // namespace
}  // namespace fonds::warc
