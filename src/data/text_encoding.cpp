#include "data/text_encoding.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace eigenveil::detail {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

void append_utf8(std::string& text, char32_t code) {
  const auto byte = [&](char32_t value) { text.push_back(static_cast<char>(value)); };
  const auto tail = [&](unsigned shift) { byte(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | (code >> 6U));
    tail(0);
  } else if (code < 0x10000) {
    byte(0xE0U | (code >> 12U));
    tail(6);
    tail(0);
  } else {
    byte(0xF0U | (code >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Bytes in, characters out; keeps what does not make a character yet.
class Decoder {
 public:
  explicit Decoder(TextEncoding encoding) : encoding_(encoding) {}

  void take(unsigned char byte, std::string& out) {
    if (encoding_ == TextEncoding::Latin1) {
      append_utf8(out, byte);
      return;
    }
    if (!half_) {
      half_ = byte;
      return;
    }
    const unsigned first = *std::exchange(half_, std::nullopt);
    take_unit(big_endian_ ? first << 8U | byte : unsigned{byte} << 8U | first, out);
  }
  /// UTF-16 without a mark at its start: any bytes would do, and those of rows could become names.
  bool lacks_mark() const { return lacks_mark_; }
  /// What is left at the end.
  void finish(std::string& out) {
    if (std::exchange(half_, std::nullopt) || std::exchange(high_, 0U) != 0U) {
      append_utf8(out, kReplacement);
    }
  }

 private:
  void take_unit(unsigned unit, std::string& out) {
    const bool first = std::exchange(at_start_, false);
    if (first && (unit == 0xFEFFU || unit == 0xFFFEU)) {  // a mark, which says the order
      big_endian_ = unit == 0xFFFEU;
      return;
    }
    lacks_mark_ |= first;
    const bool is_low = unit >= 0xDC00U && unit <= 0xDFFFU;
    if (const unsigned high = std::exchange(high_, 0U); high != 0U) {
      if (is_low) {
        append_utf8(out, 0x10000U + ((high - 0xD800U) << 10U) + (unit - 0xDC00U));
        return;
      }
      append_utf8(out, kReplacement);
    }
    if (unit >= 0xD800U && unit <= 0xDBFFU) {
      high_ = unit;
    } else {
      append_utf8(out, is_low ? kReplacement : char32_t{unit});
    }
  }

  TextEncoding encoding_;
  bool big_endian_ = false;
  bool at_start_ = true;
  bool lacks_mark_ = false;
  std::optional<unsigned char> half_;  ///< of a unit
  unsigned high_ = 0;                  ///< first half of a pair
};

class ConvertedSource final : public ByteSource {
 public:
  ConvertedSource(std::unique_ptr<ByteSource> source, TextEncoding encoding)
      : source_(std::move(source)), decoder_(encoding) {}

  Result<std::size_t> read(char* into, std::size_t count) override {
    std::size_t done = 0;
    while (done < count) {
      if (next_ == text_.size()) {
        if (const Result<bool> more = refill(); !more || !*more) {
          return more ? Result<std::size_t>(done) : error_of(more);
        }
      }
      const std::size_t some = std::min(count - done, text_.size() - next_);
      std::memcpy(into + done, text_.data() + next_, some);
      done += some;
      next_ += some;
    }
    return done;
  }
  std::optional<double> progress() const override { return source_->progress(); }

 private:
  Result<bool> refill() {
    text_.clear();
    next_ = 0;
    while (text_.empty() && !ended_) {
      const Result<std::size_t> got = source_->read(bytes_.data(), bytes_.size());
      if (!got) {
        return error_of(got);
      }
      for (std::size_t i = 0; i < *got; ++i) {
        decoder_.take(static_cast<unsigned char>(bytes_[i]), text_);
      }
      if (decoder_.lacks_mark()) {
        return bad_request(
            "a table in UTF-16 begins with a byte order mark, and the input does not: it is in "
            "another {encoding}, or lost its mark.",
            "encoding");
      }
      if (*got == 0) {
        ended_ = true;
        decoder_.finish(text_);
      }
    }
    return !text_.empty();
  }

  std::unique_ptr<ByteSource> source_;
  Decoder decoder_;
  std::array<char, std::size_t{1} << 16U> bytes_{};
  std::string text_;
  std::size_t next_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> as_utf8(std::unique_ptr<ByteSource> source, TextEncoding encoding) {
  if (encoding == TextEncoding::Utf8) {
    return source;
  }
  return std::make_unique<ConvertedSource>(std::move(source), encoding);
}

}  // namespace eigenveil::detail
