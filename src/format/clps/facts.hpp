// What `info` tells of an archive.
#pragma once

#include <functional>

#include <fonds/format.hpp>
#include <fonds/formats/clps.hpp>

namespace fonds::clps {

// Attributes of the container; with `deep` also of each column, for which all tables are
// decompressed. Errors: those of reading.
Status describe_archive(const Archive& archive, bool deep, AttributeSink& out);

// The keys of all events with how many have them, objects before what they contain. Errors: those
// of `out`.
Status list_fields(const Archive& archive, const std::function<Status(const EventField&)>& out);

// A node's path as the query language writes it: "a.b", "@level", R"(a\.b)".
std::string query_path(const SchemaTree& tree, NodeId node);

}  // namespace fonds::clps
