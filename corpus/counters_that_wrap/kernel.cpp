#include "pto/pto-inst.hpp"
using namespace pto;

using Rows = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using Part = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>;

static AICORE inline void ptoas_auto_sync_tail() { pipe_barrier(PIPE_ALL); }

extern "C" __global__ AICORE void below_a_bound(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    for (uint32_t i = 3; i < 4u; --i) {
      TLOAD(c, Part(in + i * 512));
    }
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void below_a_bound_by_twos(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    for (uint32_t i = 4; i < 5u; i -= 2) {
      TLOAD(c, Part(in));
    }
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void not_negative(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    for (uint32_t i = 3; (int32_t) i >= 0; --i) {
      TLOAD(c, Part(in));
    }
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void not_the_last(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    for (uint32_t i = 3; i != 0xffffffffu; --i) {
      TLOAD(c, Part(in));
    }
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void of_eight_bits(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    for (uint8_t i = 250; i >= 250; ++i) {
      TLOAD(c, Part(in));
    }
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void of_eight_bits_signed(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    for (int8_t i = 120; i > 0; i += 3) {
      TLOAD(c, Part(in));
    }
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void of_sixteen_bits(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    uint16_t i = 2;
    while (i < 3) {
      TLOAD(c, Part(in));
      i--;
    }
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void of_sixty_four_bits(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    for (size_t i = 3; i < 4; --i) {
      TLOAD(c, Part(in));
    }
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void tested_at_the_end(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    uint32_t i = 3;
    do {
      TLOAD(c, Part(in));
      --i;
    } while (i < 4u);
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void left_in_the_middle(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    for (uint32_t i = 3;; --i) {
      TLOAD(c, Part(in));
      if (i > 100u) break;
    }
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void large_steps(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    for (uint32_t i = 0; i < (uint32_t) n + 0xc0000000u; i += 1u << 30) {
      TLOAD(c, Part(in));
      if (i == 3u << 30) break;
    }
    pipe_barrier(PIPE_V); // expect: kept RAW
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void carried(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    uint32_t k = 2;
    for (int32_t i = 0; i < 3; ++i) {
      --k;
      TLOAD(c, Part(in));
    }
    if (k > 100u) {
      pipe_barrier(PIPE_V); // expect: kept RAW
    }
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void carried_in_eight_bits(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    uint8_t k = 250;
    for (int32_t i = 0; i < 10; ++i) {
      ++k;
      TLOAD(c, Part(in));
    }
    if (k < 10) {
      pipe_barrier(PIPE_V); // expect: kept RAW
    }
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}

extern "C" __global__ AICORE void carried_into_a_switch(__gm__ float *in, int32_t n) {
#if defined(__DAV_VEC__)
  Rows a, b, c;
  TASSIGN(a, 0);
  TASSIGN(b, 2048);
  TASSIGN(c, 4096);
  if (n > 0) {
    TEXP(a, b);
    uint32_t k = 1;
    for (int32_t i = 0; i < 2; ++i) {
      --k;
      TLOAD(c, Part(in));
    }
    switch (k) {
    case 0u: break;
    case 0xffffffffu:
      pipe_barrier(PIPE_V); // expect: kept RAW
      break;
    default: break;
    }
    TADDS(b, a, 1.0f);
  }
#endif
  ptoas_auto_sync_tail();
}
