# What an installation holds, and the Debian package. Included by the project's CMakeLists.txt.
#
#   bin/ptosync                         the tool
#   share/ptosync/{compile.sh,patch_vec_barriers}
#   share/ptosync/examples/softmax.cpp  the kernel of docs/start.md, for whoever has no corpus/
#   share/ptosync/schemas/*.json        the JSON Schema of whatever the tool writes or reads as JSON
#   share/man, share/bash-completion, share/zsh, share/fish
#                                       the manual page and the completions, which the tool prints
#   lib/cmake/ptosync/                  find_package(ptosync): ptosync::ptosync, ptosync_optimize()
#   share/doc/ptosync/                  the documents, the changelog, copyright, and in third-party/ the licences of what
#                                       the program holds
#
# `cpack -G DEB` in the build folder makes the package. With SOURCE_DATE_EPOCH set it is the same bytes each time.
# Tested by tests/scripts/install_test.sh.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(ptosync_pages ${CMAKE_BINARY_DIR}/packaging)
file(MAKE_DIRECTORY ${ptosync_pages})
foreach(page "--man-page;ptosync.1" "--completion=bash;ptosync" "--completion=zsh;_ptosync" "--completion=fish;ptosync.fish")
  list(GET page 0 answer)
  list(GET page 1 result)
  add_custom_command(
    OUTPUT ${ptosync_pages}/${result}
    COMMAND ptosync ${answer} > ${ptosync_pages}/${result}.part
    COMMAND ${CMAKE_COMMAND} -E rename ${ptosync_pages}/${result}.part ${ptosync_pages}/${result}
    DEPENDS ptosync
    VERBATIM)
  list(APPEND ptosync_page_files ${ptosync_pages}/${result})
endforeach()
add_custom_target(ptosync_pages ALL DEPENDS ${ptosync_page_files})

install(TARGETS ptosync RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(PROGRAMS scripts/compile.sh scripts/patch_vec_barriers DESTINATION ${CMAKE_INSTALL_DATADIR}/ptosync)
# Not below share/doc, which minimal systems leave out of every package. The tests' verdicts mean nothing to a user; without
# them each line keeps its number.
set(ptosync_example ${CMAKE_SOURCE_DIR}/corpus/softmax/kernel.cpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ptosync_example})
file(READ ${ptosync_example} ptosync_example_text)
string(REGEX REPLACE " *// expect:[^\n]*" "" ptosync_example_text "${ptosync_example_text}")
file(CONFIGURE OUTPUT ${ptosync_pages}/softmax.cpp CONTENT "${ptosync_example_text}" @ONLY)
install(FILES ${ptosync_pages}/softmax.cpp DESTINATION ${CMAKE_INSTALL_DATADIR}/ptosync/examples)
install(FILES ${ptosync_pages}/ptosync.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${ptosync_pages}/ptosync DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${ptosync_pages}/_ptosync DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${ptosync_pages}/ptosync.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# The schemas that stand beside the code that writes or reads their documents get names that tell them apart.
install(DIRECTORY docs/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/ptosync)
foreach(schema "src/report/schema;report" "src/report/approval_schema;approval" "src/report/compare_schema;compare"
        "patterns/schema;pattern" "src/machine/schema;machine" "src/machine/schema_overlay;machine-overlay")
  list(GET schema 0 source)
  list(GET schema 1 name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${source}.json)
  file(READ ${CMAKE_SOURCE_DIR}/${source}.json ptosync_schema_text)
  string(REPLACE "\"schema.json#" "\"machine.json#" ptosync_schema_text "${ptosync_schema_text}")
  file(CONFIGURE OUTPUT ${ptosync_pages}/schemas/${name}.json CONTENT "${ptosync_schema_text}" @ONLY)
  install(FILES ${ptosync_pages}/schemas/${name}.json DESTINATION ${CMAKE_INSTALL_DATADIR}/ptosync/schemas)
endforeach()
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN schemas EXCLUDE)
install(FILES scripts/packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Under the name that Debian looks for, packed if there is a gzip; without the time, so that the bytes are the same.
find_program(ptosync_gzip gzip)
set(ptosync_changelog ${CMAKE_SOURCE_DIR}/docs/changelog.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ptosync_changelog})
if(ptosync_gzip)
  execute_process(COMMAND ${ptosync_gzip} -9nc ${ptosync_changelog} OUTPUT_FILE ${ptosync_pages}/changelog.gz)
  install(FILES ${ptosync_pages}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
else()
  install(FILES ${ptosync_changelog} DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME changelog)
endif()

# The program holds code of these packages; their licences want to go with it.
foreach(package libclang-19-dev nlohmann-json3-dev)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/third-party
          RENAME ${package} OPTIONAL)
endforeach()

# The package only names a program, so it serves every architecture that can run it.
set(ptosync_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ptosync)
set(ptosync_executable ${CMAKE_INSTALL_BINDIR}/ptosync)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ptosync-config.cmake.in ${ptosync_pages}/ptosync-config.cmake
                              INSTALL_DESTINATION ${ptosync_config_dir} PATH_VARS ptosync_executable)
write_basic_package_version_file(${ptosync_pages}/ptosync-config-version.cmake COMPATIBILITY SameMinorVersion
                                 ARCH_INDEPENDENT)
install(FILES ${ptosync_pages}/ptosync-config.cmake ${ptosync_pages}/ptosync-config-version.cmake
              ${CMAKE_CURRENT_LIST_DIR}/ptosync_optimize.cmake DESTINATION ${ptosync_config_dir})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ptosync)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "ptosync maintainers <ptosync@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "optimiser and auditor of the synchronisation in Ascend NPU kernels")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Removes synchronisation that is proved to order nothing from the C++ kernels
 that the ptoas assembler emits, and reports synchronisation that is missing.")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS bash)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS libcurl4) # for --remote-cache
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
include(CPack)
