#include "format/clps/searching/search_aggregate.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/calendar.hpp"
#include "base/time_pattern.hpp"
#include "format/clps/reading/texts.hpp"
#include "format/clps/searching/search_arrays.hpp"
#include "format/clps/searching/search_plan.hpp"

namespace fonds::clps {
namespace {

bool is_number(NodeType type) {
  return type == NodeType::Integer || type == NodeType::DeltaInteger || type == NodeType::Float ||
         type == NodeType::FormattedFloat || type == NodeType::DictionaryFloat ||
         type == NodeType::Timestamp;
}

Texts::Needs needs_of(NodeType type) {
  const bool array = type == NodeType::UnstructuredArray;
  const bool split = array || type == NodeType::ClpString;
  return {.variables = split || type == NodeType::VarString || type == NodeType::DictionaryFloat,
          .log_types = type == NodeType::ClpString,
          .array_types = array};
}

}  // namespace

Status AggregatePart::hold() {
  if (total.held() <= taken) {
    return {};
  }
  taken = total.held() + kShareStep;
  return share.resize(taken) ? Status() : total.check(0);
}

// The values of one column, as JSON texts.
class Aggregate::FieldReader {
 public:
  FieldReader(const Texts& texts, const KeyMachine& keys, const Field& field, const Column& column)
      : texts_(texts), keys_(keys), field_(field), column_(column) {}

  // Calls `use(text)` for each value of a row. A damaged cell has none.
  template <typename Use>
  void values(std::uint64_t row, Use&& use) {
    if (field_.type == NodeType::UnstructuredArray) {
      array_values(row, use);
      return;
    }
    text_.clear();
    text_.limit(texts_.longest_record());
    if (append(row) == nullptr) {
      use(text_.view());
    }
  }

 private:
  Fault append(std::uint64_t row) {
    switch (field_.type) {
      case NodeType::Integer:
      case NodeType::DeltaInteger:
        append_number(static_cast<std::int64_t>(column_.word(row)), text_);
        return nullptr;
      case NodeType::Float:
        Texts::append_float(column_, row, text_, scratch_);
        return nullptr;
      case NodeType::FormattedFloat:
        return texts_.append_formatted_float(column_, row, text_, scratch_);
      case NodeType::DictionaryFloat:
        return texts_.append_dictionary_float(column_, row, text_);
      case NodeType::Boolean:
        text_.append(column_.truth(row) ? "true" : "false");
        return nullptr;
      case NodeType::VarString:
        return texts_.append_string(texts_.find_string(column_, row), text_);
      case NodeType::ClpString:
        return texts_.append_clp_string(column_, row, text_);
      case NodeType::DateString:
        return texts_.append_date(column_, row, text_, scratch_);
      case NodeType::Timestamp:
        return texts_.append_time(column_, row, text_, scratch_);
      default:
        return "it has no values";
    }
  }

  template <typename Use>
  void array_values(std::uint64_t row, Use&& use) {
    array_.clear();
    if (texts_.append_array(column_, row, array_) != nullptr) {
      return;
    }
    // Nothing counts of a text that turns out to be damaged.
    found_.clear();
    const bool whole = walker_.walk(
        array_.view(), keys_, field_.state, [&](query::JsonToken token, std::string_view spelled) {
          switch (token) {
            case query::JsonToken::String: {
              TextBuffer& text = text_;
              text.clear();
              text.push_back('"');
              text.append_escaped(query::unquoted_json(spelled, scratch_));
              text.push_back('"');
              found_.emplace_back(text.view());
              break;
            }
            case query::JsonToken::Number:
              found_.emplace_back(spelled);
              break;
            case query::JsonToken::True:
              found_.emplace_back("true");
              break;
            case query::JsonToken::False:
              found_.emplace_back("false");
              break;
            case query::JsonToken::Null:
              found_.emplace_back("null");
              break;
            default:
              break;
          }
        });
    if (whole) {
      std::for_each(found_.begin(), found_.end(), use);
    }
  }

  const Texts& texts_;
  const KeyMachine& keys_;
  const Field& field_;
  const Column& column_;
  TextBuffer text_;
  TextBuffer array_;
  std::string scratch_;
  std::vector<std::string> found_;
  JsonWalker walker_;
};

Result<std::unique_ptr<Aggregate>> Aggregate::make(const Archive& archive,
                                                   const SearchOptions& options) {
  using Want = SearchOptions::Want;
  std::unique_ptr<Aggregate> made;
  switch (options.want) {
    case Want::CountByTime:
      if (options.interval <= 0) {
        return fail(ErrorCode::BadArgument, "an interval of time must be above 0");
      }
      if (time_nodes(archive).empty()) {
        return fail(ErrorCode::BadArgument,
                    "the archive has no timestamp column that records could be counted by",
                    {.source = archive.name()});
      }
      made.reset(new Aggregate(archive, options));
      return made;
    case Want::Min:
    case Want::Max:
    case Want::Unique: {
      if (options.field.steps.empty()) {
        return fail(ErrorCode::BadArgument, "no field is named whose values are wanted");
      }
      made.reset(new Aggregate(archive, options));
      FONDS_TRY(made->keys_, KeyMachine::make(options.field.steps));
      FONDS_TRY(made->hits_, find_keys(archive, *made->keys_, roots_of(options.field),
                                       /*arrays=*/true, made->share_));
      return made;
    }
    default:
      return made;
  }
}

std::vector<Aggregate::Field> Aggregate::fields(std::size_t table) const {
  std::vector<Field> found;
  const auto columns = archive_->column_nodes(archive_->tables()[table].schema);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const KeyHit* const hit = hit_of(hits_, columns[i]);
    if (hit == nullptr) {
      continue;
    }
    const NodeType type = archive_->tree()[columns[i]].type;
    const bool array = type == NodeType::UnstructuredArray;
    const bool wanted = want_ == SearchOptions::Want::Unique || is_number(type);
    if (array ? hit->state != KeyMachine::kDead : hit->accepts && wanted) {
      found.push_back({i, type, hit->state});
    }
  }
  return found;
}

bool Aggregate::has_null(std::size_t table) const {
  if (want_ != SearchOptions::Want::Unique) {
    return false;
  }
  const Schema& schema = archive_->schemas()[archive_->tables()[table].schema];
  const auto is_null = [&](std::int32_t entry) {
    const KeyHit* const hit = is_tag(entry) ? nullptr : hit_of(hits_, entry);
    return hit != nullptr && hit->accepts && archive_->tree()[entry].type == NodeType::NullValue;
  };
  return std::any_of(schema.ordered.begin(), schema.ordered.end(), is_null) ||
         std::any_of(schema.unordered.begin(), schema.unordered.end(), is_null);
}

std::optional<std::size_t> Aggregate::time_column(std::size_t table) const {
  const auto columns = archive_->column_nodes(archive_->tables()[table].schema);
  const auto times = time_nodes(*archive_);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::find(times.begin(), times.end(), columns[i]) != times.end()) {
      return i;
    }
  }
  return std::nullopt;
}

bool Aggregate::reads(std::size_t table) const {
  return want_ == SearchOptions::Want::CountByTime ? time_column(table).has_value()
                                                   : !fields(table).empty();
}

Result<AggregatePart> Aggregate::of_unread(std::size_t table, std::uint64_t rows) const {
  AggregatePart part(archive_->budget(), want_);
  if (want_ == SearchOptions::Want::CountByTime) {
    part.total.add_time({}, rows);
  } else if (has_null(table) && rows > 0) {
    part.total.add_value("null", rows);
  }
  return part;
}

Status Aggregate::count_times(LazyTable& table, const BitSet& rows, AggregatePart& part) const {
  FONDS_TRY(const Column* const column, table.column(*time_column(table.index())));
  FONDS_TRY(const auto texts, Texts::open(*archive_, needs_of(column->type)));
  const NodeType type = column->type;
  std::unordered_map<std::int64_t, std::uint64_t> counts;
  rows.for_each([&](std::size_t row) {
    const std::uint64_t word = column->word(row);
    std::int64_t ns = static_cast<std::int64_t>(word);
    if (type == NodeType::DateString) {
      const DatePattern* const pattern = texts->date_pattern(column->second_word(row));
      if (pattern == nullptr) {
        part.total.add_time({}, 1);
        return;
      }
      ns = pattern->instant_ns(ns);
    } else if (type == NodeType::Integer || type == NodeType::DeltaInteger) {
      ns = instant_of_number(ns);
    } else if (type == NodeType::DictionaryFloat) {
      const auto number =
          word < texts->variables().size()
              ? query::Number::parse(texts->variables()[static_cast<std::size_t>(word)])
              : std::nullopt;
      if (!number) {
        part.total.add_time({}, 1);
        return;
      }
      ns = instant_of_number(number->as_double());
    } else if (type != NodeType::Timestamp) {
      ns = instant_of_number(std::bit_cast<double>(word));
    }
    ++counts[floor_to(ns, interval_)];
  });
  for (const auto& [begin, records] : counts) {
    part.total.add_time(begin, records);
  }
  return part.hold();
}

Result<AggregatePart> Aggregate::of(LazyTable& table, const BitSet& rows) const {
  AggregatePart part(archive_->budget(), want_);
  if (want_ == SearchOptions::Want::CountByTime) {
    FONDS_CHECK(count_times(table, rows, part));
    return part;
  }
  const std::vector<Field> found = fields(table.index());
  std::vector<Column> columns;
  std::vector<std::unique_ptr<Texts>> texts;
  for (const Field& field : found) {
    FONDS_TRY(const Column* const column, table.column(field.column));
    columns.push_back(*column);
    FONDS_TRY(texts.emplace_back(), Texts::open(*archive_, needs_of(field.type)));
  }
  std::vector<FieldReader> readers;
  for (std::size_t i = 0; i < found.size(); ++i) {
    readers.emplace_back(*texts[i], *keys_, found[i], columns[i]);
  }
  const bool null = has_null(table.index());
  Status status;
  std::vector<std::string> values;  // of one record, each once
  rows.for_each([&](std::size_t row) {
    if (!status) {
      return;
    }
    values.clear();
    if (null) {
      values.emplace_back("null");
    }
    for (FieldReader& reader : readers) {
      reader.values(row, [&](std::string_view text) {
        if (want_ == SearchOptions::Want::Unique) {
          values.emplace_back(text);
        } else if (auto number = query::Number::parse(text)) {
          part.total.add_extreme(text, std::move(number));
        }
      });
    }
    std::sort(values.begin(), values.end());
    const auto end = std::unique(values.begin(), values.end());
    for (auto value = values.begin(); value != end; ++value) {
      part.total.add_value(*value, 1);
    }
    status = part.hold();
  });
  if (!status) {
    return tl::unexpected(std::move(status.error()));
  }
  return part;
}

Status Aggregate::add(const AggregatePart& part) {
  sum_.total.add(part.total);
  return sum_.hold();
}

}  // namespace fonds::clps
