#include "core/gzip.hpp"

#include <zlib.h>

namespace eigenveil {

std::string gzip_member(std::string_view bytes) {
  z_stream stream{};
  constexpr int kFastLevel = 1;
  constexpr int kGzipWindow = 15 + 16;
  constexpr int kMemoryLevel = 8;
  deflateInit2(&stream, kFastLevel, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  // zlib does not write to its input; its interface predates const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace eigenveil
