// The public types, enumerations and constants of the library that a kernel may name beyond those that every emitted
// kernel uses, as declarations of this project's own: read/prelude.h says what they mean and when they are declared.
// A declaration begins a line, and what it goes on in is indented by four blanks. What it needs of the others stands in
// front of it. A last comment `acts` says that making one is an instruction of its name.

//= types
// Options of instructions.
enum class QuantType : int { MXFP8, MXFP4_E2M1, INT8_SYM, INT8_ASYM };
enum class QuantScaleAlg : int { OCP, NV };
enum class MxQuantAlg : int { OcpMxFp8E4M3, NvMxFp8E4M3, OcpMxFp4E2M1, NvMxFp4E2M1, Hif4 };
enum class VecStoreMode : int { ND, NZ };
enum class PrintFormat : int { Width8_Precision4, Width8_Precision2, Width10_Precision6 };
enum class TCopyMode : int { SHALLOW_COPY, DEEP_COPY };
enum class SyncAllMode : int { Hard, Soft };
enum class SyncCoreType : int { AIVOnly, AICOnly, Mix };
enum VFImplKind : int { VFIMPL_DEFAULT, VFIMPL_1D_NO_POST_UPDATE, VFIMPL_2D_NO_POST_UPDATE, VFIMPL_1D_POST_UPDATE,
    VFIMPL_2D_POST_UPDATE };
enum class SetFmatrixMode : int { FMATRIX_A_AUTO, FMATRIX_B_AUTO, FMATRIX_A_MANUAL, FMATRIX_B_MANUAL };
enum class TileLayoutCustom : int { ND, DN, NZ, ZN, ZZ, NONE };
enum class HistByte : int { BYTE_0, BYTE_1, BYTE_2, BYTE_3 };
enum class PowAlgorithm : int { DEFAULT, HIGH_PRECISION };
enum class DivAlgorithm : int { DEFAULT, HIGH_PRECISION };
enum class SqrtAlgorithm : int { DEFAULT, HIGH_PRECISION };
enum class RsqrtAlgorithm : int { DEFAULT, HIGH_PRECISION };
enum class RecipAlgorithm : int { DEFAULT, HIGH_PRECISION };
enum class ExpAlgorithm : int { DEFAULT, HIGH_PRECISION };
enum class LogAlgorithm : int { DEFAULT, HIGH_PRECISION };
enum class FmodAlgorithm : int { DEFAULT, HIGH_PRECISION };
enum class FmodSAlgorithm : int { DEFAULT, HIGH_PRECISION };
enum class RemAlgorithm : int { DEFAULT, HIGH_PRECISION };
enum class RemSAlgorithm : int { DEFAULT, HIGH_PRECISION };
enum class ScatterAxis : int { SCATTER_ROW, SCATTER_COL };
enum class ScatterAtomicOp : int { None, Add, Max, Min };
enum class ScatterOOB : int { Undefined, Skip, Clamp, Wrap };
enum class ScatterConflict : int { Last, Default };
enum class GatherAxis : int { GATHER_ROW, GATHER_COL };
enum class GatherOOB : int { Undefined, Clamp, Wrap, Zero };
enum class Coalesce : int { Row, Elem };
enum class LayoutMode_t : int { NZ2NZ, NZ2ND, NZ2DN };
enum class DequantType : int { SCALAR, TENSOR };
enum ClipReluMode_t : int { NOCLIP_RELU, CLIP_RELU };

// Configurations and plain data.
template <LayoutMode_t = LayoutMode_t::NZ2ND, QuantMode_t = QuantMode_t::NoQuant, ReluPreMode = ReluPreMode::NoRelu,
    STPhase = STPhase::Unspecified, int = 0, AtomicType = AtomicType::AtomicNone, ClipReluMode_t = NOCLIP_RELU, bool =
    false> struct FixpipeParams {};
struct MrgSortExecutedNumList { uint16_t mrgSortList0, mrgSortList1, mrgSortList2, mrgSortList3; };
using TRandomKey = uint32_t[2];
using TRandomCounter = uint32_t[4];
template <typename PtoElement_, long PtoRows_ = -1, long PtoCols_ = -1, Layout PtoL_ = Layout::ND>
    struct TileShape2D : ptosync_data { TileShape2D(...); };
template <typename PtoElement_, long PtoRows_ = -1, long PtoCols_ = -1, Layout PtoL_ = Layout::ND>
    struct BaseShape2D : ptosync_data { BaseShape2D(...); };

// Collectives and asynchronous transfers.
namespace comm {
enum class ReduceOp : int { Sum, Max, Min };
enum class DmaEngine : int { SDMA, URMA, RDMA };
enum class CollEngine : int { AIV, CCU };
enum class CcuInputSource : int { HostManaged, AivStored };
struct CcuTriggerContext { uint64_t ckeSlotVA; uint32_t mask, selfIdx; CcuInputSource inputSource; };
struct AsyncSession : ptosync_data {};
struct AsyncEvent : ptosync_data { ptosync_any Wait(...) const; ptosync_any Test(...) const; };
template <typename PtoTensor_> struct ParallelGroup : ptosync_data { ParallelGroup() = default;
    ParallelGroup(PtoTensor_ *, int, int); static ParallelGroup Create(PtoTensor_ *, int, int); };
using Signal = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND>;
template <typename PtoElement_, typename PtoShape_, typename PtoStride_, Layout PtoL_ = Layout::ND>
    using GlobalSignal = GlobalTensor<PtoElement_, PtoShape_, PtoStride_, PtoL_>;
}
namespace comm::sdma {
struct SdmaBaseConfig { uint64_t block_bytes, comm_block_offset; uint32_t queue_num; };
using sdma_base_config_t = SdmaBaseConfig;
struct SdmaSession : ptosync_data {};
struct SdmaExecContext : ptosync_data {};
struct SdmaEventContext : ptosync_data {};
struct TmpBuffer { uint8_t *addr; uint32_t size; };
}
namespace comm::urma {
struct UrmaSession : ptosync_data {};
struct UrmaExecContext : ptosync_data {};
struct UrmaEventContext : ptosync_data {};
}
struct PrefetchAsyncContext : ptosync_unknown { PrefetchAsyncContext() = default; explicit
    PrefetchAsyncContext(uint8_t *); comm::AsyncSession session; }; // acts

// Constants whose value the library publishes.
constexpr int DYNAMIC = -1;
constexpr int FFTS_MODE_VAL = 2;
constexpr uint16_t SYNC_AIC_FLAG = 11;
constexpr uint16_t SYNC_AIV_FLAG = 12;
constexpr uint16_t SYNC_AIC_AIV_FLAG = 13;
constexpr uint16_t SYNC_AIV_ONLY_ALL = 14;
constexpr uint16_t SYNC_FLAG_ID_MAX = 16;
constexpr int SYNCALL_SOFT_WORKSPACE_INT32 = 16;
namespace GlobalTensorDim {
constexpr int DIM_0 = 0;
constexpr int DIM_1 = 1;
constexpr int DIM_2 = 2;
constexpr int DIM_3 = 3;
constexpr int DIM_4 = 4;
constexpr int TOTAL_DIM = 5;
}
