#pragma once
// LIBSVM text: "label index:value index:value ...", indices from 1 and increasing, "#" starts a comment. Private to the
// data room; open_table() makes it.
#include <memory>
#include <string>
#include <string_view>

#include "alacarte/data/table.hpp"
#include "data/chunk_builder.hpp"
#include "data/record_buffer.hpp"

namespace alacarte::data_detail {

/// True for a first line of a number followed by one or more index:value pairs.
bool looks_like_libsvm(std::string_view line);

class LibsvmReader : public TableReader {
 public:
  /// `source`: the content of `origin` from its start. `inputs`: number of inputs; 0 = the largest index in the file,
  /// found by a first pass over it.
  LibsvmReader(const Origin& origin, std::unique_ptr<ByteSource> source, Index inputs);
  bool read(TableChunk& chunk, Index max_rows) override;
  double share_read() const override { return buffer_.share_read(); }

 private:
  Index largest_index(const Origin& origin) const;
  void parse_line(std::string_view line, double* row) const;

  RecordBuffer buffer_;
  ChunkBuilder builder_;
  Index inputs_ = 0;
  std::int64_t line_ = 1;
  Index rows_read_ = 0;
};

}  // namespace alacarte::data_detail
