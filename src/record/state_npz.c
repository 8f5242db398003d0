// A body's state for numpy: see state_npz.h. libzip writes to a temporary file and renames it.
#include "record/state_npz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "base/array.h"

enum { HEADER_BYTES = 128 };  // numpy wants a multiple of 64

// one array as a .npy, format version 1.0: magic, header length, a Python dictionary padded with blanks, the data
static char *npy(int node_count, const double (*values)[3], size_t *bytes, Error *error) {
  const size_t data = sizeof *values * (size_t)node_count;
  char *file = array_new((int64_t)(HEADER_BYTES + data), 1, "bytes of state", error);
  if (!file) return NULL;
  memset(file, ' ', HEADER_BYTES);
  memcpy(file, "\x93NUMPY\x01\x00", 8);
  file[8] = HEADER_BYTES - 10, file[9] = 0;
  const int length = snprintf(file + 10, HEADER_BYTES - 10, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 3), }", node_count);
  file[10 + length] = ' ';
  file[HEADER_BYTES - 1] = '\n';
  memcpy(file + HEADER_BYTES, values, data);
  *bytes = HEADER_BYTES + data;
  return file;
}

static bool add_array(zip_t *archive, const char *name, int node_count, const double (*values)[3], Error *error) {
  size_t bytes;
  char *file = npy(node_count, values, &bytes, error);
  if (!file) return false;
  zip_source_t *source = zip_source_buffer(archive, file, bytes, 1);  // libzip frees the bytes from here on
  if (!source) {
    free(file);
    return error_set(error, "%s", zip_strerror(archive));
  }
  const zip_int64_t index = zip_file_add(archive, name, source, 0);
  if (index < 0) {
    zip_source_free(source);
    return error_set(error, "%s", zip_strerror(archive));
  }
  if (zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0) != 0)
    return error_set(error, "%s", zip_strerror(archive));
  return true;
}

bool state_npz_write(const char *path, int node_count, const double (*positions)[3], const double (*momenta)[3],
                     const double (*initial_positions)[3], Error *error) {
  int code = 0;
  zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!archive) {
    zip_error_t why;
    zip_error_init_with_code(&why, code);
    error_set(error, "%s: cannot be written: %s", path, zip_error_strerror(&why));
    zip_error_fini(&why);
    return false;
  }
  if (!add_array(archive, "positions.npy", node_count, positions, error) ||
      !add_array(archive, "momenta.npy", node_count, momenta, error) ||
      !add_array(archive, "initial_positions.npy", node_count, initial_positions, error)) {
    zip_discard(archive);
    return error_prefix(error, "%s", path);
  }
  if (zip_close(archive) == 0) return true;
  error_set(error, "%s: cannot be written: %s", path, zip_strerror(archive));
  zip_discard(archive);
  return false;
}
