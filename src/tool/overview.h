// What `ptosync --help` says in front of the list of options: the commands by example, the exit codes.
//
// Text alone, for src/tool/options.cpp. Tested by tests/tool/options_test.cpp.
#pragma once

namespace ptosync {

inline constexpr const char *kOverview =
    "ptosync: removes synchronisation that orders nothing from generated Ascend NPU kernels\n\n"
    "  ptosync opt KERNEL.cpp -o OUT.cpp     take out or weaken syncs that order nothing\n"
    "  ptosync opt KERNEL.cpp --diff         show what would change, write nothing\n"
    "  ptosync audit KERNEL.cpp|DIR...       report missing waits, faulty flags, illegal pipes, slow syncs\n"
    "  ptosync fix KERNEL.cpp                the fewest insertions that make a broken kernel right, as a diff\n"
    "  ptosync explain KERNEL.cpp:LINE       why is this sync here, what does this instruction wait for\n"
    "  ptosync explain --memory KERNEL.cpp   who holds which bytes of each memory, and when\n"
    "  ptosync verify BEFORE.cpp AFTER.cpp   is AFTER as well synchronised as BEFORE?\n"
    "  ptosync timeline KERNEL.cpp --trace=T.json   when each pipe does what, and what it waits for (estimated)\n"
    "  ptosync timeline KERNEL.cpp --profile=FOLDER   a recorded simulator run beside the estimate\n"
    "  ptosync compare A.cpp B.cpp           two versions beside each other: statements, estimated time, which syncs "
    "differ\n"
    "  ptosync patterns list|show ID|test    the patterns that nominate edits\n"
    "  ptosync model --calls=KERNEL.cpp      what the machine model says of every call: pipes, flags, bytes\n"
    "  ptosync model --check --pto-include=DIR   is this the library that the model was made from?\n"
    "  ptosync patch-vec-barriers SRC DST    what the text script of that name does, each removal proved\n\n"
    "exit codes: 0 done, 1 findings or --diff has changes, 2 usage, configuration or pattern error,\n"
    "3 input could not be analysed, or the engines disagree, 4 verify: not decided\n";

} // namespace ptosync
