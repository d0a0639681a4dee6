// Brackets of buffer ids in place of the flags that were put into a kernel: `sync --tokens=buffers`.
//
//   the flags of one buffer                         one id, one bracket for each pipe
//
//     set_flag(V, MTE2, 0);                           for (..) {
//     for (..) {                                        get_buf(MTE2, 3, 0);
//       wait_flag(V, MTE2, 0);                          TLOAD(a, g);
//       TLOAD(a, g);                                    rls_buf(MTE2, 3, 0);
//       set_flag(MTE2, V, 0);               -->         get_buf(V, 3, 0);
//       wait_flag(MTE2, V, 0);                          TADDS(b, a, 1);
//       TADDS(b, a, 1);                                 rls_buf(V, 3, 0);
//       set_flag(V, MTE2, 0);                         }
//     }
//     wait_flag(V, MTE2, 0);
//
// A flag forth and a flag back around one producer and one consumer, in one list of statements, become one id: the wait
// for the flag back is the producer's get, the set of the flag forth its release, and so on; prime and drain go. Any
// other flag becomes empty brackets, `get_buf(P, k, 0); rls_buf(P, k, 0);`: at a set a signal, at a wait a wait. A get
// waits for every earlier release of its id, so brackets order no less than the flags did; where the producer comes
// round again they order a little more. Whether the kernel is right, and how long it takes, is asked of the text that
// results, as of any other (verification.h). Flags with computed ids or under a guard stay flags. Each flag or pair of
// flags has an id of its own; what is beyond the pool stays a flag. Tested by tests/synthesis/buffer_tokens_test.cpp.
#pragma once

#include "ordering/kernel_analysis.h"
#include "synthesis/edited_kernel.h"

#include <optional>
#include <vector>

namespace ptosync::synthesis {

struct BracketedPlan {
  std::vector<AddedSync> added;  // of the whole plan, by place
  std::vector<std::size_t> from; // by added: the number in the file's plan of what it stands for
  std::size_t flags = 0;         // that are brackets now; of a pair both
};

/// Returns the additions of the file's plan, with brackets in place of the flags of a kernel of file.module(), which
/// `analysis` is of. Nothing if none can be one.
std::optional<BracketedPlan> withBrackets(const EditedFile &file, const Analysis &analysis);

} // namespace ptosync::synthesis
