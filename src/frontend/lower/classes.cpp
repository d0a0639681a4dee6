#include "frontend/lower/lowering.h"

#include <algorithm>
#include <iterator>

namespace ptosync {
namespace {

constexpr std::string_view kLowered[] = {
      "ArrayInitLoopExpr", "ArraySubscriptExpr", "AttributedStmt", "BinaryOperator", "BreakStmt", "CStyleCastExpr",
      "CXXBindTemporaryExpr", "CXXBoolLiteralExpr", "CXXConstCastExpr", "CXXConstructExpr", "CXXDefaultArgExpr",
      "CXXDefaultInitExpr", "CXXForRangeStmt", "CXXFunctionalCastExpr", "CXXMemberCallExpr", "CXXNoexceptExpr",
      "CXXNullPtrLiteralExpr", "CXXOperatorCallExpr", "CXXReinterpretCastExpr", "CXXScalarValueInitExpr",
      "CXXStaticCastExpr", "CXXTemporaryObjectExpr", "CXXThisExpr", "CallExpr", "CaseStmt", "CharacterLiteral",
      "ChooseExpr", "CompoundAssignOperator", "CompoundLiteralExpr", "CompoundStmt", "ConditionalOperator",
      "ConstantExpr", "ContinueStmt", "DeclRefExpr", "DeclStmt", "DefaultStmt", "DoStmt", "ExprWithCleanups",
      "FloatingLiteral", "ForStmt", "GCCAsmStmt", "GNUNullExpr", "GenericSelectionExpr", "GotoStmt", "IfStmt",
      "ImplicitCastExpr",
      "ImplicitValueInitExpr", "InitListExpr", "IntegerLiteral", "LabelStmt", "LambdaExpr",
      "MaterializeTemporaryExpr", "MemberExpr", "NullStmt", "OffsetOfExpr", "PackIndexingExpr", "ParenExpr",
      "ReturnStmt", "SizeOfPackExpr", "StmtExpr", "StringLiteral", "SubstNonTypeTemplateParmExpr", "SwitchStmt",
      "TypeTraitExpr", "UnaryExprOrTypeTraitExpr", "UnaryOperator", "WhileStmt",
};

constexpr std::string_view kClobbered[] = {
      "AddrLabelExpr", "ArrayInitIndexExpr", "ArrayTypeTraitExpr", "AtomicExpr", "BinaryConditionalOperator",
      "BuiltinBitCastExpr", "CXXAddrspaceCastExpr", "CXXDynamicCastExpr", "CXXInheritedCtorInitExpr",
      "CXXParenListInitExpr", "CXXPseudoDestructorExpr", "CXXRewrittenBinaryOperator", "CXXStdInitializerListExpr",
      "CXXTypeidExpr", "CXXUuidofExpr", "ConceptSpecializationExpr", "ConvertVectorExpr", "DesignatedInitExpr",
      "DesignatedInitUpdateExpr", "EmbedExpr", "ExpressionTraitExpr", "ExtVectorElementExpr", "FixedPointLiteral",
      "FunctionParmPackExpr", "ImaginaryLiteral", "MatrixSubscriptExpr", "NoInitExpr", "OpaqueValueExpr",
      "PredefinedExpr", "PseudoObjectExpr", "RequiresExpr", "ShuffleVectorExpr", "SourceLocExpr",
      "SubstNonTypeTemplateParmPackExpr", "UserDefinedLiteral", "VAArgExpr",
};

constexpr std::string_view kGivesUp[] = {
      "BlockExpr", "CUDAKernelCallExpr", "CXXCatchStmt", "CXXDeleteExpr", "CXXNewExpr", "CXXThrowExpr",
      "CXXTryStmt", "CapturedStmt", "CoawaitExpr", "CoreturnStmt", "CoroutineBodyStmt", "CoyieldExpr",
      "DependentCoawaitExpr", "IndirectGotoStmt", "MSAsmStmt", "RecoveryExpr", "SEHExceptStmt",
      "SEHFinallyStmt", "SEHLeaveStmt", "SEHTryStmt", "TypoExpr",
};

// Template patterns, syntax that no instance keeps, OpenMP, OpenACC, Objective-C, other dialects. Met all the same,
// one of them gives the kernel up like a class without an entry.
constexpr std::string_view kAbsent[] = {
      "ArraySectionExpr", "AsTypeExpr", "CXXDependentScopeMemberExpr", "CXXFoldExpr", "CXXUnresolvedConstructExpr",
      "DependentScopeDeclRefExpr", "MSDependentExistsStmt", "MSPropertyRefExpr", "MSPropertySubscriptExpr",
      "OMPArrayShapingExpr", "OMPAtomicDirective", "OMPBarrierDirective", "OMPCancelDirective",
      "OMPCancellationPointDirective", "OMPCanonicalLoop", "OMPCriticalDirective", "OMPDepobjDirective",
      "OMPDispatchDirective", "OMPDistributeDirective", "OMPDistributeParallelForDirective",
      "OMPDistributeParallelForSimdDirective", "OMPDistributeSimdDirective", "OMPErrorDirective",
      "OMPFlushDirective", "OMPForDirective", "OMPForSimdDirective", "OMPGenericLoopDirective",
      "OMPInterchangeDirective", "OMPInteropDirective", "OMPIteratorExpr", "OMPMaskedDirective",
      "OMPMaskedTaskLoopDirective", "OMPMaskedTaskLoopSimdDirective", "OMPMasterDirective",
      "OMPMasterTaskLoopDirective", "OMPMasterTaskLoopSimdDirective", "OMPMetaDirective", "OMPOrderedDirective",
      "OMPParallelDirective", "OMPParallelForDirective", "OMPParallelForSimdDirective",
      "OMPParallelGenericLoopDirective", "OMPParallelMaskedDirective", "OMPParallelMaskedTaskLoopDirective",
      "OMPParallelMaskedTaskLoopSimdDirective", "OMPParallelMasterDirective", "OMPParallelMasterTaskLoopDirective",
      "OMPParallelMasterTaskLoopSimdDirective", "OMPParallelSectionsDirective", "OMPReverseDirective",
      "OMPScanDirective", "OMPScopeDirective", "OMPSectionDirective", "OMPSectionsDirective", "OMPSimdDirective",
      "OMPSingleDirective", "OMPTargetDataDirective", "OMPTargetDirective", "OMPTargetEnterDataDirective",
      "OMPTargetExitDataDirective", "OMPTargetParallelDirective", "OMPTargetParallelForDirective",
      "OMPTargetParallelForSimdDirective", "OMPTargetParallelGenericLoopDirective", "OMPTargetSimdDirective",
      "OMPTargetTeamsDirective", "OMPTargetTeamsDistributeDirective",
      "OMPTargetTeamsDistributeParallelForDirective", "OMPTargetTeamsDistributeParallelForSimdDirective",
      "OMPTargetTeamsDistributeSimdDirective", "OMPTargetTeamsGenericLoopDirective", "OMPTargetUpdateDirective",
      "OMPTaskDirective", "OMPTaskLoopDirective", "OMPTaskLoopSimdDirective", "OMPTaskgroupDirective",
      "OMPTaskwaitDirective", "OMPTaskyieldDirective", "OMPTeamsDirective", "OMPTeamsDistributeDirective",
      "OMPTeamsDistributeParallelForDirective", "OMPTeamsDistributeParallelForSimdDirective",
      "OMPTeamsDistributeSimdDirective", "OMPTeamsGenericLoopDirective", "OMPTileDirective", "OMPUnrollDirective",
      "ObjCArrayLiteral", "ObjCAtCatchStmt", "ObjCAtFinallyStmt", "ObjCAtSynchronizedStmt", "ObjCAtThrowStmt",
      "ObjCAtTryStmt", "ObjCAutoreleasePoolStmt", "ObjCAvailabilityCheckExpr", "ObjCBoolLiteralExpr",
      "ObjCBoxedExpr", "ObjCBridgedCastExpr", "ObjCDictionaryLiteral", "ObjCEncodeExpr", "ObjCForCollectionStmt",
      "ObjCIndirectCopyRestoreExpr", "ObjCIsaExpr", "ObjCIvarRefExpr", "ObjCMessageExpr", "ObjCPropertyRefExpr",
      "ObjCProtocolExpr", "ObjCSelectorExpr", "ObjCStringLiteral", "ObjCSubscriptRefExpr",
      "OpenACCComputeConstruct", "OpenACCLoopConstruct", "PackExpansionExpr", "ParenListExpr",
      "SYCLUniqueStableNameExpr", "UnresolvedLookupExpr", "UnresolvedMemberExpr",
};

template <std::size_t N> bool holds(const std::string_view (&list)[N], std::string_view name) {
  return std::binary_search(std::begin(list), std::end(list), name);
}

} // namespace

Reading readingOf(std::string_view className) {
  if (holds(kLowered, className))
    return Reading::Lowered;
  if (holds(kClobbered, className))
    return Reading::Clobbered;
  if (holds(kGivesUp, className))
    return Reading::GivesUp;
  return holds(kAbsent, className) ? Reading::Absent : Reading::Undecided;
}

} // namespace ptosync
