// The archives in a directory.
#pragma once

#include <string>
#include <vector>

#include <fonds/error.hpp>

namespace fonds::ops {

// Adds the files in a directory to `files`, and the directories that are archives by themselves,
// sorted by their path; with `deep` also those below. Links to directories are not followed. What
// belongs to another of the files, such as an index, is left out. Errors: Io; what was found until
// then is added.
Status add_directory(const std::string& path, bool deep, std::vector<std::string>& files);

// The same of the objects that s3://BUCKET/PREFIX/ stands for. Errors: those of list_remote();
// NotFound if there are none.
Status add_remote_directory(const std::string& url, bool deep, std::vector<std::string>& files);

}  // namespace fonds::ops
