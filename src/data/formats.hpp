#pragma once
// The formats of tables: whether a file looks like one, and its reader. Private to the data room; see open_table().
#include <memory>
#include <string>
#include <string_view>

#include "alacarte/data/table.hpp"
#include "data/byte_source.hpp"

namespace alacarte::data_detail {

/// Makes a reader of CSV, which determines separator, header and column names from the first rows.
std::unique_ptr<TableReader> make_csv_reader(const std::string& name, std::unique_ptr<ByteSource> source,
                                             const DataConfig& config);

/// Makes a reader of LIBSVM text; arguments and errors as for LibsvmLines::LibsvmLines().
std::unique_ptr<TableReader> make_libsvm_reader(const Origin& origin, std::unique_ptr<ByteSource> source, Index inputs);

bool looks_like_npy(std::string_view start);
/// Makes a reader of an NPY array. Throws DataError for other element types, shapes and versions, and for files shorter
/// or longer than the shape.
std::unique_ptr<TableReader> make_npy_reader(Origin origin);

/// Returns true for two zero bytes and a type code, which begin no text.
bool looks_like_idx(std::string_view start);
/// Returns the path of the labels beside an image file, gzipped or not; "" without any.
std::string find_idx_labels(const std::string& images);
/// Makes a reader of an IDX array, whose labels beside it are the last column.
std::unique_ptr<TableReader> make_idx_reader(const Origin& origin, std::unique_ptr<ByteSource> source);

}  // namespace alacarte::data_detail
