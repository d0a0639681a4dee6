// Headers on disk as a vendor might write them, for tests of `--pto-include`.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace ptosync::test {

/// A directory that goes away with its owner.
struct HeaderDirectory {
  HeaderDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "ptosync-headers-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw std::runtime_error("no temporary directory");
    path = name;
    std::filesystem::create_directories(path / "pto");
  }
  ~HeaderDirectory() { std::filesystem::remove_all(path); }
  void write(const std::string &name, const std::string &text) { std::ofstream(path / name) << text; }
  std::filesystem::path path;
};

/// An API as the vendor's headers have it: templates with bodies, other names for parameters,
/// marks that are not ours.
inline constexpr const char *kVendorTypes = R"(#pragma once
#define AICORE __attribute__((noinline))
#define __global__
#define __gm__ __attribute__((annotate("gm")))
#define PTO_INST inline
using int32_t = int; using uint32_t = unsigned; using int64_t = long; using uint64_t = unsigned long; using size_t = unsigned long;
enum pipe_t { PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M, PIPE_ALL, PIPE_FIX };
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3 };
enum mem_dsb_t { DSB_ALL, DSB_DDR };
inline void set_flag(pipe_t, pipe_t, event_t) {}
inline void wait_flag(pipe_t, pipe_t, event_t) {}
inline void pipe_barrier(pipe_t) {}
inline void dsb(mem_dsb_t) {}
inline void set_mask_norm() {}
inline void set_vector_mask(uint64_t, uint64_t) {}
namespace pto {
enum class TileType { Vec, Mat, Left, Right, Acc, Bias, Scaling };
enum class BLayout { RowMajor = 0, ColMajor = 1 };
enum class SLayout { NoneBox = 0, RowMajor = 1, ColMajor = 2 };
enum class PadValue { Null, Zero, Max, Min };
enum class CompactMode { Null, Normal, RowPlusOne };
enum class Layout { ND, DN, NZ };
template <TileType Loc_, typename Element_, const int Rows_, const int Cols_, const BLayout BFractal_ = BLayout::RowMajor,
          const int RowValid_ = Rows_, const int ColValid_ = Cols_, const SLayout SFractal_ = SLayout::NoneBox,
          const int SFractalSize_ = 512, const PadValue PadVal_ = PadValue::Null,
          const CompactMode Compact_ = CompactMode::Null>
struct Tile {
  using DType = Element_;
  DType *data_ = nullptr;
  AICORE DType *&data() { return data_; }
};
template <int N1 = 1, int N2 = 1, int N3 = 1, int N4 = 1, int N5 = 1> struct Shape { int shape[5] = {N1, N2, N3, N4, N5}; };
template <int N1 = 1, int N2 = 1, int N3 = 1, int N4 = 1, int N5 = 1> struct Stride { int stride[5] = {N1, N2, N3, N4, N5}; };
template <typename Element_, typename Shape_, typename Stride_, Layout Layout_ = Layout::ND> struct GlobalTensor {
  Element_ *data_;
  GlobalTensor(Element_ *data, const Shape_ &, const Stride_ &) : data_(data) {}
};
template <typename T, typename AddrType> PTO_INST void TASSIGN(T &tile, AddrType addr) { tile.data() = (typename T::DType *) addr; }
)";

inline constexpr const char *kVendorInstructions =
    R"(template <typename D, typename S> PTO_INST int TLOAD(D &dst, S &src) { pipe_barrier(PIPE_ALL); return 0; }
template <typename D, typename S> PTO_INST int TSTORE(D &dst, S &src) { pipe_barrier(PIPE_ALL); return 0; }
template <typename D, typename S> PTO_INST int TADDS(D &dst, S &src, typename S::DType scalar) { return 0; }
template <typename D, typename S> PTO_INST int TMULS(D &dst, S &src, typename S::DType scalar) { return 0; }
template <typename D, typename S, typename R> PTO_INST int TADD(D &dst, S &src, R &other) { return 0; }
template <typename D, typename S, typename R> PTO_INST int TSUB(D &dst, S &src, R &other) { return 0; }
template <typename D, typename S, typename R> PTO_INST int TMUL(D &dst, S &src, R &other) { return 0; }
template <typename D> PTO_INST int TEXPANDS(D &dst, typename D::DType scalar) { return 0; }
)";

inline std::string vendorHeader() { return std::string(kVendorTypes) + kVendorInstructions + "}\n"; }

} // namespace ptosync::test
