// Finds and opens modules, the shared libraries of elements that are not linked into the program (element_module.h).
#define _GNU_SOURCE  // declares dladdr
#include "sim/element_module.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/path.h"

// FOLDERS_MAX: largest number of searched folders, those of $PLIANT_ELEMENTS and Pliant's own one. FILE_LENGTH:
// capacity for the path of a module's file, in bytes
enum { FOLDERS_MAX = 16, FILE_LENGTH = PATH_LENGTH + 256 };

typedef struct Folders {
  int count;
  char path[FOLDERS_MAX][PATH_LENGTH];
} Folders;

// Appends a folder to the list. Its path is the first `length` bytes of `path`, followed by `below`.
static void add_folder(Folders *folders, const char *path, int length, const char *below) {
  if (length == 0) return;
  snprintf(folders->path[folders->count++], PATH_LENGTH, "%.*s%s", length, path, below);
}

// Returns the folders that may contain modules, in the order of the search.
static Folders module_folders(void) {
  Folders folders = { 0 };
  const char *named = environment_value("PLIANT_ELEMENTS");
  while (named && *named && folders.count < FOLDERS_MAX - 1) {
    const int length = (int)strcspn(named, ":");
    add_folder(&folders, named, length, "");
    named += length + (named[length] == ':');
  }

  // Find the file that contains this function: libpliant_engine, or a test program that links this library statically.
  static const char own = 0;
  Dl_info library;
  char *path = dladdr(&own, &library) ? realpath(library.dli_fname, NULL) : NULL;
  const char *slash = path ? strrchr(path, '/') : NULL;
  if (slash) {
    add_folder(&folders, path, (int)(slash - path), "/elements");
  }
  free(path);
  return folders;
}

void element_module_folders(char text[ELEMENT_FOLDERS_LENGTH]) {
  const Folders folders = module_folders();
  size_t length = 0;
  text[0] = '\0';
  for (int k = 0; k < folders.count && length < ELEMENT_FOLDERS_LENGTH; k++)
    length += (size_t)snprintf(text + length, ELEMENT_FOLDERS_LENGTH - length, "%s%s", k ? ", " : "", folders.path[k]);
}

// Returns the suffix of a module's file name for a precision: "f32" for float, "f64" for double.
static const char *suffix_of(Precision precision) {
  return precision == PRECISION_F64 ? "f64" : "f32";
}

// Writes the path of the file of a module. Fails if there is no such file; the message names the searched folders and
// ends with `remedy`.
static bool find_module(const char *element, Precision precision, const char *remedy, char path[FILE_LENGTH],
                        Error *error) {
  const Folders folders = module_folders();
  char searched[ELEMENT_FOLDERS_LENGTH];
  for (int k = 0; k < folders.count; k++) {
    snprintf(path, FILE_LENGTH, "%s/%s_%s.so", folders.path[k], element, suffix_of(precision));
    if (access(path, R_OK) == 0) return true;
  }
  element_module_folders(searched);
  return error_set(error, "element %s is not built: no file %s_%s.so in %s; %s", element, element, suffix_of(precision),
                   searched, remedy);
}

const Stage *const *element_module_open(const char *element, Precision precision, const ElementSeal *seal,
                                        const char *remedy, Error *error) {
  char path[FILE_LENGTH], symbol[128];
  if (!find_module(element, precision, remedy, path, error)) return NULL;
  void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!module) {
    error_set(error, "%s; %s", dlerror(), remedy);  // dlerror's message begins with the path
    return NULL;
  }
  snprintf(symbol, sizeof symbol, "element_seal_%s_%s", element, suffix_of(precision));
  const ElementSeal *own = dlsym(module, symbol);
  snprintf(symbol, sizeof symbol, "element_rows_%s_%s", element, suffix_of(precision));
  const Stage *const *rows = dlsym(module, symbol);
  if (own && rows && strcmp(own->version, seal->version) == 0 && own->row_sizes == seal->row_sizes) return rows;
  if (!own || !rows)
    error_set(error, "%s: not a module of element %s; %s", path, element, remedy);
  else
    error_set(error, "%s: built for another version of Pliant (%s, but this version is %s); %s", path, own->version,
              seal->version, remedy);
  dlclose(module);
  return NULL;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(a, b);
}

static bool is_listed(char names[][ELEMENT_NAME], int count, const char *name) {
  for (int k = 0; k < count; k++)
    if (strcmp(names[k], name) == 0) return true;
  return false;
}

int element_module_list(char names[ELEMENT_MODULES_MAX][ELEMENT_NAME]) {
  const Folders folders = module_folders();
  int count = 0;
  for (int k = 0; k < folders.count; k++) {
    DIR *folder = opendir(folders.path[k]);
    const struct dirent *entry;
    while (folder && count < ELEMENT_MODULES_MAX && (entry = readdir(folder))) {
      char name[ELEMENT_NAME];
      const size_t length = strlen(entry->d_name);
      if (!path_ends_with(entry->d_name, "_f64.so") || length - 7 >= ELEMENT_NAME) continue;
      snprintf(name, sizeof name, "%.*s", (int)length - 7, entry->d_name);
      if (!is_listed(names, count, name)) memcpy(names[count++], name, ELEMENT_NAME);
    }
    if (folder) closedir(folder);
  }
  qsort(names, (size_t)count, sizeof *names, compare_names);
  return count;
}
