#pragma once
// From the web to the data folder.
#include <alacarte/experiment/catalogue.hpp>
#include <string>

namespace alacarte::cli {

/// Downloads the files of a data set that are not below `root` yet, compares them with the catalogue and moves them to
/// their places; returns one line that says what was done. Files that are there are left alone.
///
/// An unfinished download stays beside its place as *.part and is resumed by the next call. A file that is not what the
/// catalogue says is removed. Throws IoError when it cannot be had (with what to do by hand where the catalogue has no
/// address), DataError when it is not what the catalogue says, Interrupted.
std::string fetch_dataset(const DatasetEntry& entry, const std::string& root, int stall_seconds);

}  // namespace alacarte::cli
