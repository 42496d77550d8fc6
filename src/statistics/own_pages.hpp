#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace eigenveil {

/// A large array is written faster in large pages: the system hands out 2 MiB at a time.
inline void prefer_large_pages(void* start, std::size_t bytes) {
  constexpr std::size_t kWorthIt = std::size_t{8} << 20U;
  constexpr std::size_t kLargePage = std::size_t{2} << 20U;
  const auto address = reinterpret_cast<std::uintptr_t>(start);  // NOLINT: to align it
  const std::uintptr_t first = (address + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = (address + bytes) / kLargePage * kLargePage;
  if (bytes >= kWorthIt && first < last) {
    madvise(static_cast<char*>(start) + (first - address), last - first, MADV_HUGEPAGE);
  }
}

/// Zeros in pages of their own, which take memory when they are first written and go back to the
/// system at once when freed.
template <class Real>
class OwnPages {
 public:
  OwnPages() = default;
  explicit OwnPages(std::size_t count) : count_(count) {
    if (count == 0) {
      return;
    }
    void* pages =
        mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
      throw std::bad_alloc();
    }
    numbers_ = static_cast<Real*>(pages);
  }
  OwnPages(OwnPages&& other) noexcept { swap(other); }
  OwnPages& operator=(OwnPages&& other) noexcept {
    OwnPages(std::move(other)).swap(*this);
    return *this;
  }
  OwnPages(const OwnPages&) = delete;
  OwnPages& operator=(const OwnPages&) = delete;
  ~OwnPages() {
    if (count_ > 0) {
      munmap(numbers_, bytes());
    }
  }

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  Real* data() { return numbers_; }
  const Real* data() const { return numbers_; }

 private:
  std::size_t bytes() const { return count_ * sizeof(Real); }
  void swap(OwnPages& other) noexcept {
    std::swap(numbers_, other.numbers_);
    std::swap(count_, other.count_);
  }
  Real* numbers_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace eigenveil
