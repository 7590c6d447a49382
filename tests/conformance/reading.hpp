// What reading an archive gives, in forms that can be compared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/format.hpp>

#include "conformance/sites.hpp"
#include "ops/list.hpp"

namespace fonds::laws {

// All but the source.
std::string shown(const Finding& finding);

// The records of an archive, one after the other.
struct Contents {
  std::vector<std::string> blocks;
  std::vector<std::string> headers;  // as stored
  std::vector<std::string> kinds;
  std::vector<Place> places;
  std::vector<std::string> findings;
  std::string error;
};
Contents contents(const Archive& archive, const ReadOptions& options = {});
// Of the records with their places and findings; empty if they are the same.
std::string difference_with_places(std::string_view what, const Contents& a, const Contents& b);

// What an operation gave.
struct Given {
  std::string text;
  std::vector<std::string> findings;
  std::vector<Finding> raw;
  std::string error;
  friend bool operator==(const Given& a, const Given& b) {
    return a.text == b.text && a.findings == b.findings && a.error == b.error;
  }
};
void take(Given& given, const Finding& finding);
ops::Output into(Given& given);
template <typename Outcome>
void note(Given& given, const Outcome& outcome) {
  given.error = outcome ? "" : outcome.error().to_string();
}

Given listed(const Archive& archive, const ops::ListOptions& options);
// `ls --json --headers --full --hash`, with these options of the scan.
Given listed_whole(const Archive& archive, const ops::ScanOptions& scan);
// The blocks of all records, or of those of keys, each with its length before it. A key without a
// record is an error.
Given content(const Archive& archive, const ops::ScanOptions& scan,
              std::vector<std::string> keys = {});
Given verified(const Archive& archive, const ops::ScanOptions& scan,
               const std::vector<std::string>& companions = {});
// What the commands say that only read; the archive is called NAME in it.
struct Said {
  Contents read;
  Given listed, verified, searched;
  // Of what can be read only once nothing: these go back.
  std::string info;
  Given by_key;  // the first record, one in the middle and the last
};
Said said(Opened& archive, const ReadOptions& options);
std::string difference(std::string_view what, const Said& a, const Said& b);

// Lines of `ls --json` without what is wrong with the records.
std::string without_problems(std::string text);
// As content() gives them.
std::string with_lengths(const std::vector<std::string>& blocks);
// Without those that describe the archive itself.
std::vector<std::string> blocks_but_descriptions(const Contents& all);
// Whether `some` stand in `all` in this order.
bool is_part(const std::vector<std::string>& some, const std::vector<std::string>& all);
// Of the records without their places; empty if they are the same.
std::string difference(std::string_view what, const Contents& a, const Contents& b);
// Of warnings and errors, and of errors alone.
std::vector<std::string> codes_but_notes(const Given& given);
std::vector<std::string> errors_of(const Given& given);

// The first difference, in a sentence; empty if there is none.
std::string difference(std::string_view what, const Given& a, const Given& b);
std::string difference(std::string_view what, std::string_view a, std::string_view b);
std::string difference(std::string_view what, const std::vector<std::string>& a,
                       const std::vector<std::string>& b);

}  // namespace fonds::laws
