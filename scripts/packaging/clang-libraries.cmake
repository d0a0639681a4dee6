# The libraries of Clang and LLVM that the project links. Included by the project's CMakeLists.txt.
#
# Static by default: a program that is run once per kernel spends most of a short run on loading and relocating
# libclang-cpp.so and libLLVM.so (measured by scripts/bench). PTOSYNC_STATIC_LLVM=OFF takes the shared ones, for a
# distribution that has no others. One or the other for everything: LLVM's global state must exist once. The fuzzer of the
# frontend takes the shared ones: of a template that LLVM's libraries and our code both hold, a static link keeps one, and
# only ours tells the sanitizer what it does with its memory.
#
# Sets ptosync_llvm_libraries (what needs no Clang) and ptosync_clang_libraries.
option(PTOSYNC_STATIC_LLVM "link Clang and LLVM statically" ON)

if(NOT PTOSYNC_STATIC_LLVM OR PTOSYNC_FRONTEND_FUZZ)
  set(ptosync_llvm_libraries LLVM)
  set(ptosync_clang_libraries clang-cpp)
  return()
endif()

# What Clang's libraries up to clangTooling use of LLVM. Debian's targets of Clang name the shared library instead.
llvm_map_components_to_libnames(ptosync_clang_uses support option frontendopenmp frontendhlsl frontendoffloading
                                windowsdriver asmparser bitreader bitstreamreader bitwriter core mcparser mc
                                profiledata targetparser)
set(clang_targets clangTooling)
set(seen "")
while(clang_targets)
  list(POP_FRONT clang_targets target)
  list(APPEND seen ${target})
  get_target_property(uses ${target} INTERFACE_LINK_LIBRARIES)
  foreach(used IN LISTS uses)
    if(used MATCHES "^clang" AND NOT used IN_LIST seen AND NOT used IN_LIST clang_targets)
      list(APPEND clang_targets ${used})
    endif()
  endforeach()
  list(REMOVE_ITEM uses LLVM)
  set_property(TARGET ${target} PROPERTY INTERFACE_LINK_LIBRARIES ${uses} ${ptosync_clang_uses})
endwhile()

set(ptosync_llvm_libraries LLVMSupport)
set(ptosync_clang_libraries clangTooling)
# Of every library only what is reached; LLVMSupport names shared libraries that only other parts of LLVM need.
add_link_options(-Wl,--gc-sections -Wl,--as-needed)
