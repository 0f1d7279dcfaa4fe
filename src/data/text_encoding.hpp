#pragma once
// Text that is not UTF-8, read as UTF-8. Private to the data room.
#include <memory>
#include <string>
#include <string_view>

#include "data/byte_source.hpp"

namespace alacarte::data_detail {

/// Converts Windows-1252, of which Latin-1 is a part, to UTF-8. The five bytes without a character become the control
/// characters of their number, as in browsers, so that different texts remain different.
std::string from_windows_1252(std::string_view text);

/// Returns UTF-8 text as it is and any other text converted from Windows-1252, which `converted` then tells. The bytes
/// alone decide, so that a label is the same in every row and file.
std::string to_utf8(std::string_view text, bool& converted);

/// Bytes of a file's start that looks_like_utf16() needs.
inline constexpr std::size_t kUtf16LookBytes = 512;

/// Returns true for text in UTF-16, by its byte-order mark or, for the letters of European languages, by the zero bytes
/// at every other place. start: the first bytes of a file.
bool looks_like_utf16(std::string_view start);

/// Converts a source for which looks_like_utf16() is true to UTF-8, without the mark. Half a character becomes U+FFFD;
/// half a unit at the end is a DataError.
std::unique_ptr<ByteSource> make_utf16_source(const std::string& name, std::unique_ptr<ByteSource> source);

}  // namespace alacarte::data_detail
