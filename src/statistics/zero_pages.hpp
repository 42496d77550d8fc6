#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <utility>

namespace eigenveil {

/// Numbers that start at zero and take memory only where they are written, page by page: of a
/// square matrix whose upper triangle alone is filled, little more than that triangle. Freed to the
/// system at once. Empty until `count` > 0.
template <class Real>
class ZeroPages {
 public:
  explicit ZeroPages(std::size_t count = 0) : bytes_(count * sizeof(Real)) {
    if (bytes_ > 0) {
      void* pages =
          mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (pages == MAP_FAILED) {
        throw std::bad_alloc();
      }
      numbers_ = static_cast<Real*>(pages);
    }
  }
  ZeroPages(ZeroPages&& other) noexcept { swap(other); }
  ZeroPages& operator=(ZeroPages&& other) noexcept {
    ZeroPages(std::move(other)).swap(*this);
    return *this;
  }
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;
  ~ZeroPages() {
    if (bytes_ > 0) {
      munmap(numbers_, bytes_);
    }
  }

  Real* data() { return numbers_; }

 private:
  void swap(ZeroPages& other) noexcept {
    std::swap(numbers_, other.numbers_);
    std::swap(bytes_, other.bytes_);
  }
  Real* numbers_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace eigenveil
