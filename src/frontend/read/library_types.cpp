#include "frontend/read/library_types.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ptosync {
namespace {

// In an order that compiles: what another entry needs stands before it.
constexpr std::array kLibraryTypes = {
    // Options of instructions.
    LibraryType{"", "QuantType", "enum class QuantType : int { MXFP8, MXFP4_E2M1, INT8_SYM, INT8_ASYM };", ""},
    LibraryType{"", "QuantScaleAlg", "enum class QuantScaleAlg : int { OCP, NV };", ""},
    LibraryType{"", "MxQuantAlg",
                "enum class MxQuantAlg : int { OcpMxFp8E4M3, NvMxFp8E4M3, OcpMxFp4E2M1, NvMxFp4E2M1, Hif4 };", ""},
    LibraryType{"", "VecStoreMode", "enum class VecStoreMode : int { ND, NZ };", ""},
    LibraryType{"", "PrintFormat",
                "enum class PrintFormat : int { Width8_Precision4, Width8_Precision2, Width10_Precision6 };", ""},
    LibraryType{"", "TCopyMode", "enum class TCopyMode : int { SHALLOW_COPY, DEEP_COPY };", ""},
    LibraryType{"", "SyncAllMode", "enum class SyncAllMode : int { Hard, Soft };", ""},
    LibraryType{"", "SyncCoreType", "enum class SyncCoreType : int { AIVOnly, AICOnly, Mix };", ""},
    LibraryType{"", "VFImplKind",
                "enum VFImplKind : int { VFIMPL_DEFAULT, VFIMPL_1D_NO_POST_UPDATE, VFIMPL_2D_NO_POST_UPDATE, "
                "VFIMPL_1D_POST_UPDATE, VFIMPL_2D_POST_UPDATE };",
                ""},
    LibraryType{
        "", "SetFmatrixMode",
        "enum class SetFmatrixMode : int { FMATRIX_A_AUTO, FMATRIX_B_AUTO, FMATRIX_A_MANUAL, FMATRIX_B_MANUAL };", ""},
    LibraryType{"", "TileLayoutCustom", "enum class TileLayoutCustom : int { ND, DN, NZ, ZN, ZZ, NONE };", ""},
    LibraryType{"", "HistByte", "enum class HistByte : int { BYTE_0, BYTE_1, BYTE_2, BYTE_3 };", ""},
    LibraryType{"", "PowAlgorithm", "enum class PowAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "DivAlgorithm", "enum class DivAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "SqrtAlgorithm", "enum class SqrtAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "RsqrtAlgorithm", "enum class RsqrtAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "RecipAlgorithm", "enum class RecipAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "ExpAlgorithm", "enum class ExpAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "LogAlgorithm", "enum class LogAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "FmodAlgorithm", "enum class FmodAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "FmodSAlgorithm", "enum class FmodSAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "RemAlgorithm", "enum class RemAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "RemSAlgorithm", "enum class RemSAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "ScatterAxis", "enum class ScatterAxis : int { SCATTER_ROW, SCATTER_COL };", ""},
    LibraryType{"", "ScatterAtomicOp", "enum class ScatterAtomicOp : int { None, Add, Max, Min };", ""},
    LibraryType{"", "ScatterOOB", "enum class ScatterOOB : int { Undefined, Skip, Clamp, Wrap };", ""},
    LibraryType{"", "ScatterConflict", "enum class ScatterConflict : int { Last, Default };", ""},
    LibraryType{"", "GatherAxis", "enum class GatherAxis : int { GATHER_ROW, GATHER_COL };", ""},
    LibraryType{"", "GatherOOB", "enum class GatherOOB : int { Undefined, Clamp, Wrap, Zero };", ""},
    LibraryType{"", "Coalesce", "enum class Coalesce : int { Row, Elem };", ""},
    LibraryType{"", "LayoutMode_t", "enum class LayoutMode_t : int { NZ2NZ, NZ2ND, NZ2DN };", ""},
    LibraryType{"", "DequantType", "enum class DequantType : int { SCALAR, TENSOR };", ""},
    LibraryType{"", "ClipReluMode_t", "enum ClipReluMode_t : int { NOCLIP_RELU, CLIP_RELU };", ""},
    // Configurations and plain data.
    LibraryType{"", "FixpipeParams",
                "template <LayoutMode_t = LayoutMode_t::NZ2ND, QuantMode_t = QuantMode_t::NoQuant, ReluPreMode = "
                "ReluPreMode::NoRelu, STPhase = STPhase::Unspecified, int = 0, AtomicType = AtomicType::AtomicNone, "
                "ClipReluMode_t = NOCLIP_RELU, bool = false> struct FixpipeParams {};",
                "LayoutMode_t ClipReluMode_t"},
    LibraryType{"", "MrgSortExecutedNumList",
                "struct MrgSortExecutedNumList { uint16_t mrgSortList0, mrgSortList1, mrgSortList2, mrgSortList3; };",
                ""},
    LibraryType{"", "TRandomKey", "using TRandomKey = uint32_t[2];", ""},
    LibraryType{"", "TRandomCounter", "using TRandomCounter = uint32_t[4];", ""},
    LibraryType{"", "TileShape2D",
                "template <typename Element, long Rows = -1, long Cols = -1, Layout L = Layout::ND> "
                "struct TileShape2D : ptosync_data { TileShape2D(...); };",
                ""},
    LibraryType{"", "BaseShape2D",
                "template <typename Element, long Rows = -1, long Cols = -1, Layout L = Layout::ND> "
                "struct BaseShape2D : ptosync_data { BaseShape2D(...); };",
                ""},
    // Collectives and asynchronous transfers.
    LibraryType{"comm", "ReduceOp", "enum class ReduceOp : int { Sum, Max, Min };", ""},
    LibraryType{"comm", "DmaEngine", "enum class DmaEngine : int { SDMA, URMA, RDMA };", ""},
    LibraryType{"comm", "CollEngine", "enum class CollEngine : int { AIV, CCU };", ""},
    LibraryType{"comm", "CcuInputSource", "enum class CcuInputSource : int { HostManaged, AivStored };", ""},
    LibraryType{"comm", "CcuTriggerContext",
                "struct CcuTriggerContext { uint64_t ckeSlotVA; uint32_t mask, selfIdx; CcuInputSource inputSource; };",
                "CcuInputSource"},
    LibraryType{"comm", "AsyncSession", "struct AsyncSession : ptosync_data {};", ""},
    LibraryType{"comm", "AsyncEvent",
                "struct AsyncEvent : ptosync_data { ptosync_any Wait(...) const; ptosync_any Test(...) const; };", ""},
    LibraryType{"comm", "ParallelGroup",
                "template <typename Tensor> struct ParallelGroup : ptosync_data { ParallelGroup() = default; "
                "ParallelGroup(Tensor *, int, int); static ParallelGroup Create(Tensor *, int, int); };",
                ""},
    LibraryType{"comm", "Signal",
                "using Signal = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND>;", ""},
    LibraryType{"comm", "GlobalSignal",
                "template <typename Element, typename ShapeType, typename StrideType, Layout L = Layout::ND> "
                "using GlobalSignal = GlobalTensor<Element, ShapeType, StrideType, L>;",
                ""},
    LibraryType{"comm::sdma", "SdmaBaseConfig",
                "struct SdmaBaseConfig { uint64_t block_bytes, comm_block_offset; uint32_t queue_num; };", ""},
    LibraryType{"comm::sdma", "sdma_base_config_t", "using sdma_base_config_t = SdmaBaseConfig;", "SdmaBaseConfig"},
    LibraryType{"comm::sdma", "SdmaSession", "struct SdmaSession : ptosync_data {};", ""},
    LibraryType{"comm::sdma", "SdmaExecContext", "struct SdmaExecContext : ptosync_data {};", ""},
    LibraryType{"comm::sdma", "SdmaEventContext", "struct SdmaEventContext : ptosync_data {};", ""},
    LibraryType{"comm::sdma", "TmpBuffer", "struct TmpBuffer { uint8_t *addr; uint32_t size; };", ""},
    LibraryType{"comm::urma", "UrmaSession", "struct UrmaSession : ptosync_data {};", ""},
    LibraryType{"comm::urma", "UrmaExecContext", "struct UrmaExecContext : ptosync_data {};", ""},
    LibraryType{"comm::urma", "UrmaEventContext", "struct UrmaEventContext : ptosync_data {};", ""},
    LibraryType{"", "PrefetchAsyncContext",
                "struct PrefetchAsyncContext : ptosync_unknown { PrefetchAsyncContext() = default; "
                "explicit PrefetchAsyncContext(uint8_t *); comm::AsyncSession session; };",
                "comm::AsyncSession", true},
    // Constants whose value the library publishes.
    LibraryType{"", "DYNAMIC", "constexpr int DYNAMIC = -1;", ""},
    LibraryType{"", "FFTS_MODE_VAL", "constexpr int FFTS_MODE_VAL = 2;", ""},
    LibraryType{"", "SYNC_AIC_FLAG", "constexpr uint16_t SYNC_AIC_FLAG = 11;", ""},
    LibraryType{"", "SYNC_AIV_FLAG", "constexpr uint16_t SYNC_AIV_FLAG = 12;", ""},
    LibraryType{"", "SYNC_AIC_AIV_FLAG", "constexpr uint16_t SYNC_AIC_AIV_FLAG = 13;", ""},
    LibraryType{"", "SYNC_AIV_ONLY_ALL", "constexpr uint16_t SYNC_AIV_ONLY_ALL = 14;", ""},
    LibraryType{"", "SYNC_FLAG_ID_MAX", "constexpr uint16_t SYNC_FLAG_ID_MAX = 16;", ""},
    LibraryType{"", "SYNCALL_SOFT_WORKSPACE_INT32", "constexpr int SYNCALL_SOFT_WORKSPACE_INT32 = 16;", ""},
    LibraryType{"GlobalTensorDim", "DIM_0", "constexpr int DIM_0 = 0;", ""},
    LibraryType{"GlobalTensorDim", "DIM_1", "constexpr int DIM_1 = 1;", ""},
    LibraryType{"GlobalTensorDim", "DIM_2", "constexpr int DIM_2 = 2;", ""},
    LibraryType{"GlobalTensorDim", "DIM_3", "constexpr int DIM_3 = 3;", ""},
    LibraryType{"GlobalTensorDim", "DIM_4", "constexpr int DIM_4 = 4;", ""},
    LibraryType{"GlobalTensorDim", "TOTAL_DIM", "constexpr int TOTAL_DIM = 5;", ""},
};

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> list;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at)
      list.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return list;
}

std::string qualified(std::string_view scope, std::string_view name) {
  return scope.empty() ? std::string(name) : std::string(scope) + "::" + std::string(name);
}

} // namespace

const LibraryType *libraryType(std::string_view scope, std::string_view name) {
  for (const LibraryType &entry : kLibraryTypes)
    if (entry.scope == scope && entry.name == name)
      return &entry;
  return nullptr;
}

std::string libraryTypesText(const std::set<std::string> &names) {
  std::set<std::string> wanted = names;
  // Backwards: what an entry needs stands before it.
  for (auto entry = kLibraryTypes.rbegin(); entry != kLibraryTypes.rend(); ++entry)
    if (wanted.count(qualified(entry->scope, entry->name)))
      for (const std::string &needed : words(entry->needs))
        wanted.insert(libraryType(entry->scope, needed) ? qualified(entry->scope, needed) : needed);
  std::string text;
  for (const LibraryType &entry : kLibraryTypes) {
    if (!wanted.count(qualified(entry.scope, entry.name)))
      continue;
    if (!entry.scope.empty())
      text += "namespace " + std::string(entry.scope) + " { ";
    text += entry.text;
    text += entry.scope.empty() ? "\n" : " }\n";
  }
  return text;
}

} // namespace ptosync
