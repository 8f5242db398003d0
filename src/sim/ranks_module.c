// Opens the shared library that is built from src/petsc (ranks_module.h), for bodies divided among processes.
#define _GNU_SOURCE  // declares dladdr
#include "sim/ranks_module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"

// Writes the path of the module: the folder "petsc" next to libpliant_engine. Returns false if there is no such file.
static bool find_module(char path[PATH_LENGTH + 32]) {
  static const char own = 0;
  Dl_info library;
  char *file = dladdr(&own, &library) ? realpath(library.dli_fname, NULL) : NULL;
  const char *slash = file ? strrchr(file, '/') : NULL;
  if (slash) snprintf(path, PATH_LENGTH + 32, "%.*s/petsc/pliant_petsc.so", (int)(slash - file), file);
  free(file);
  return slash && access(path, R_OK) == 0;
}

const RanksModule *ranks_module_open(Error *error) {
  char path[PATH_LENGTH + 32];
  if (!find_module(path)) {
    error_set(error,
              "engine \"petsc\" is not built; install PETSc and MPI (Debian: petsc-dev libopenmpi-dev openmpi-bin, or "
              "`scripts/setup --mpi`), then build again");
    return NULL;
  }

  // RTLD_GLOBAL is needed because Open MPI opens plug-ins that use symbols of Open MPI's library.
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  const RanksModule *module = library ? dlsym(library, "ranks_module") : NULL;
  if (!module) {
    error_set(error, "%s; install the packages petsc-dev and libopenmpi-dev, or build again", dlerror());
    return NULL;
  }
  if (strcmp(module->version, PLIANT_VERSION) != 0) {
    error_set(error, "%s: built for another version of Pliant (%s, but this version is %s); build again", path,
              module->version, PLIANT_VERSION);
    return NULL;
  }
  stage_add(module->rows);
  return module;
}
