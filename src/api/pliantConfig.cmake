# CMake package of libpliant: find_package(pliant) defines the target pliant::pliant. The file is in
# PREFIX/LIBDIR/cmake/pliant.
get_filename_component(pliant_libdir "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_path(pliant_include pliant.h PATHS "${pliant_libdir}/../include" "${pliant_libdir}/../../include" NO_DEFAULT_PATH)
if(NOT pliant_include OR NOT EXISTS "${pliant_libdir}/libpliant.so")
  set(pliant_FOUND FALSE)
  set(pliant_NOT_FOUND_MESSAGE "pliant.h or libpliant.so is missing next to ${CMAKE_CURRENT_LIST_DIR}")
  return()
endif()
if(NOT TARGET pliant::pliant)
  add_library(pliant::pliant SHARED IMPORTED)
  set_target_properties(pliant::pliant PROPERTIES IMPORTED_LOCATION "${pliant_libdir}/libpliant.so"
    INTERFACE_INCLUDE_DIRECTORIES "${pliant_include}")
endif()
