# ptosync_optimize(TARGET [SOURCES FILE...] [ARCH a3|a5] [TRUST tile|library] [OPTIONS OPTION...] [DEPENDS FILE...])
#
# Compiles optimised copies of a target's kernels instead of the kernels: each source is run through `ptosync opt` when
# it, the tool or a file of DEPENDS (a pattern or a machine model that OPTIONS name) has changed. Without SOURCES all
# .cpp files of the target are kernels. Copies, reports (.json) and summaries (.txt) are in ptosync/TARGET/ of the
# current build folder, named like the sources. Include paths relative to a source and its compile properties stay valid.
#
# Call it in the folder of the target. A kernel that cannot be analysed fails the build. -DPTOSYNC_ENABLE=OFF compiles
# the untouched kernels.
option(PTOSYNC_ENABLE "optimise the kernels of targets that ptosync_optimize() names" ON)

function(ptosync_optimize target)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "ARCH;TRUST" "SOURCES;OPTIONS;DEPENDS")
  if(given_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ptosync_optimize: unexpected ${given_UNPARSED_ARGUMENTS}; expected SOURCES, ARCH, TRUST, "
                        "OPTIONS or DEPENDS")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "ptosync_optimize: ${target} is no target; call it after add_library or add_executable")
  endif()
  if(NOT PTOSYNC_ENABLE)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(source_dir ${target} SOURCE_DIR)
  set(wanted "")
  foreach(file IN LISTS given_SOURCES)
    get_filename_component(path "${file}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND wanted "${path}")
    get_filename_component(path "${file}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
    list(APPEND wanted "${path}")
  endforeach()
  set(options "")
  foreach(name ARCH TRUST)
    if(given_${name})
      string(TOLOWER ${name} option)
      list(APPEND options "--${option}=${given_${name}}")
    endif()
  endforeach()

  set(compiled "")
  set(seen "")
  set(found 0)
  foreach(file IN LISTS sources)
    # A relative name is in the source folder, or, if generated, in the build folder.
    get_filename_component(path "${file}" ABSOLUTE BASE_DIR ${source_dir})
    get_source_file_property(generated "${path}" GENERATED)
    if(NOT EXISTS "${path}" AND NOT generated)
      get_filename_component(path "${file}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
    endif()
    if((given_SOURCES AND NOT path IN_LIST wanted) OR (NOT given_SOURCES AND NOT path MATCHES "\\.cpp$"))
      list(APPEND compiled "${file}")
      continue()
    endif()
    math(EXPR found "${found} + 1")
    get_filename_component(name "${path}" NAME_WLE)
    if(name IN_LIST seen)
      message(FATAL_ERROR "ptosync_optimize: ${target} has two kernels called ${name}; give one another name")
    endif()
    list(APPEND seen ${name})
    _ptosync_copy(${target} "${path}" ${name} copy "${options};${given_OPTIONS}" "${given_DEPENDS}")
    list(APPEND compiled "${copy}")
  endforeach()
  if(given_SOURCES)
    list(LENGTH given_SOURCES expected)
    if(NOT found EQUAL expected)
      message(FATAL_ERROR "ptosync_optimize: of SOURCES ${given_SOURCES} only ${found} belong to ${target}")
    endif()
  endif()
  set_property(TARGET ${target} PROPERTY SOURCES "${compiled}")
endfunction()

# The rule that makes one copy; its name in `result`.
function(_ptosync_copy target path name result options depends)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/ptosync/${target})
  file(MAKE_DIRECTORY ${folder})
  set(copy ${folder}/${name}.cpp)
  add_custom_command(
    OUTPUT ${copy}
    BYPRODUCTS ${folder}/${name}.json ${folder}/${name}.txt
    COMMAND ptosync::ptosync opt ${path} -o ${copy} --report ${folder}/${name}.json ${options} > ${folder}/${name}.txt
    DEPENDS ${path} ptosync::ptosync ${depends}
    COMMENT "Optimising the synchronisation of ${name}.cpp"
    VERBATIM)
  get_filename_component(origin "${path}" DIRECTORY)
  set_source_files_properties(${copy} PROPERTIES GENERATED ON)
  foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS COMPILE_FLAGS LANGUAGE INCLUDE_DIRECTORIES OBJECT_DEPENDS)
    get_source_file_property(value "${path}" ${property})
    if(value)
      set_source_files_properties(${copy} PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  set_property(SOURCE ${copy} APPEND PROPERTY INCLUDE_DIRECTORIES ${origin})
  set(${result} ${copy} PARENT_SCOPE)
endfunction()
