// The library, behind the stand-ins of one chip (__NPU_ARCH__ says which).
//
// __CCE_AICORE__ switches the library's instructions on. The header of tiles comes before it: there the macro adds a
// specialisation that only tells a qualifier apart which the stand-ins drop.
#pragma once

#if __NPU_ARCH__ == 2201
#include "a3.h"
#else
#include "a5.h"
#endif

// What the library demands of a call, and checks in its debug builds only.
#include <pto/common/debug.h>
// Some of these demands do not compile; their groups do without (PTOSYNC_NO_DEMANDS).
#ifndef PTOSYNC_NO_DEMANDS
#undef PTO_ASSERT
#define PTO_ASSERT(condition, message) ((condition) ? (void)0 : recorder::refuse(#condition))
#endif

#include <pto/common/pto_tile.hpp>
#define __CCE_AICORE__ 220
#include <pto/pto-inst.hpp>
