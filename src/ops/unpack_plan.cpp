#include "ops/unpack_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"

namespace fonds::ops {
namespace {

constexpr std::size_t kLongestStep = 200;  // octets of one name in a path
constexpr std::size_t kMostSteps = 32;

// Cuts UTF-8 between characters.
std::string_view shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) {
    return text;
  }
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) {
    --most;
  }
  return text.substr(0, most);
}

std::string safe_step(std::string_view step) {
  std::string safe(shortened(step, kLongestStep));
  for (char& c : safe) {
    const auto octet = static_cast<unsigned char>(c);
    if (octet < 0x20 || octet == 0x7F ||
        std::string_view(R"(\:*?"<>|)").find(c) != std::string_view::npos) {
      c = '_';
    }
  }
  return safe;
}

std::string safe_path(std::string_view wanted) {
  const std::string text = to_utf8(wanted);
  std::vector<std::string> steps;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view step = rest.substr(0, slash);
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    if (!step.empty() && step != "." && step != "..") {
      steps.push_back(safe_step(step));
    }
  }
  if (steps.empty()) {
    return "unnamed";
  }
  std::string path;
  for (std::size_t i = steps.size() - std::min(steps.size(), kMostSteps); i < steps.size(); ++i) {
    path += path.empty() ? "" : "/";
    path += steps[i];
  }
  return path;
}

// "a/b-2.log" of "a/b.log".
std::string numbered(const std::string& path, std::uint64_t n) {
  const std::size_t step = path.rfind('/') + 1;  // 0 without a slash
  const std::size_t dot = path.rfind('.');
  const std::size_t at = dot == std::string::npos || dot <= step ? path.size() : dot;
  return fmt::format("{}-{}{}", path.substr(0, at), n, path.substr(at));
}

// Orders archives so that `before` of each pair comes first, else as they are; nothing if that
// cannot be.
std::optional<std::vector<std::size_t>> ordered(
    std::size_t archives, const std::set<std::pair<std::size_t, std::size_t>>& pairs) {
  std::vector<std::size_t> waits_for(archives, 0);
  for (const auto& [before, after] : pairs) {
    ++waits_for[after];
  }
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < archives; ++i) {
    if (waits_for[i] == 0) {
      ready.insert(i);
    }
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t next = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(next);
    for (auto pair = pairs.lower_bound({next, 0}); pair != pairs.end() && pair->first == next;
         ++pair) {
      if (--waits_for[pair->second] == 0) {
        ready.insert(pair->second);
      }
    }
  }
  return order.size() == archives ? std::optional(std::move(order)) : std::nullopt;
}

// Puts the pieces of all archives together to files, in the order in which they are found.
std::vector<UnpackFile> gather(std::span<const std::vector<EventInput>> inputs) {
  std::vector<UnpackFile> files;
  // How often each part has been there, and the file that got each occurrence of any part.
  using Name = std::tuple<std::string, std::string, std::size_t>;  // run, name, archive if no run
  std::map<std::pair<Name, std::uint64_t>, std::size_t> occurrences;
  std::map<std::pair<Name, std::size_t>, std::size_t> file_of;
  for (std::size_t archive = 0; archive < inputs.size(); ++archive) {
    for (const EventInput& input : inputs[archive]) {
      const Name name(input.run, input.name, input.run.empty() ? archive : 0);
      const std::size_t occurrence = occurrences[{name, input.part}]++;
      const auto [place, is_new] = file_of.try_emplace({name, occurrence}, files.size());
      if (is_new) {
        files.push_back({.name = {}, .input = input.name, .pieces = {}});
      }
      files[place->second].pieces.push_back({archive, input});
    }
  }
  for (UnpackFile& file : files) {
    std::stable_sort(file.pieces.begin(), file.pieces.end(),
                     [](const auto& a, const auto& b) { return a.input.part < b.input.part; });
  }
  return files;
}

void remark_gaps(const UnpackFile& file, std::vector<std::string>& remarks) {
  std::uint64_t expected = 0;
  for (const UnpackFile::Piece& piece : file.pieces) {
    if (piece.input.part > expected) {
      remarks.push_back(
          fmt::format("{}: part {} of this input is in none of the archives", file.name, expected));
    }
    expected = piece.input.part + 1;
  }
}

}  // namespace

bool SafeNames::below_a_file(const std::string& name) const {
  for (std::size_t slash = name.find('/'); slash != std::string::npos;
       slash = name.find('/', slash + 1)) {
    if (files_.contains(name.substr(0, slash))) {
      return true;
    }
  }
  return false;
}

std::string SafeNames::take(std::string_view wanted) {
  std::string plain = safe_path(wanted);
  if (below_a_file(plain)) {
    std::replace(plain.begin(), plain.end(), '/', '_');
  }
  std::string name = plain;
  for (std::uint64_t& n = numbers_[plain]; files_.contains(name) || directories_.contains(name);) {
    n = std::max<std::uint64_t>(n + 1, 2);
    name = numbered(plain, n);
  }
  files_.insert(name);
  for (std::size_t slash = name.find('/'); slash != std::string::npos;
       slash = name.find('/', slash + 1)) {
    directories_.insert(name.substr(0, slash));
  }
  return name;
}

UnpackPlan plan_unpacking(std::span<const std::vector<EventInput>> inputs, SafeNames& names) {
  UnpackPlan plan;
  plan.files = gather(inputs);
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (UnpackFile& file : plan.files) {
    file.name = names.take(file.input);
    remark_gaps(file, plan.remarks);
    for (std::size_t i = 1; i < file.pieces.size(); ++i) {
      if (file.pieces[i - 1].archive != file.pieces[i].archive) {
        pairs.insert({file.pieces[i - 1].archive, file.pieces[i].archive});
      }
    }
  }
  auto order = ordered(inputs.size(), pairs);
  if (!order) {
    plan.remarks.emplace_back(
        "the archives contradict each other about the order of parts; they are read as given");
    order.emplace();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      order->push_back(i);
    }
  }
  plan.order = std::move(*order);
  return plan;
}

}  // namespace fonds::ops
