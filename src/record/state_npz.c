// A ZIP archive of .npy files, through libzip: see state_npz.h.
#include "record/state_npz.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

#include "base/array.h"

enum { NPY_HEADER = 128, ARRAYS = 3 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the arrays are written as they lie in memory");

// the first NPY_HEADER bytes of a .npy file of [count][3] doubles
static void npy_header(int count, char header[NPY_HEADER]) {
  const uint16_t length = NPY_HEADER - 10;
  memset(header, ' ', NPY_HEADER);
  memcpy(header, "\x93NUMPY\x01\x00", 8);
  memcpy(header + 8, &length, 2);
  char text[NPY_HEADER];
  const int written =
      snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 3), }", count);
  memcpy(header + 10, text, (size_t)written);
  header[NPY_HEADER - 1] = '\n';
}

// adds one array; the archive owns its copy
static bool add_array(zip_t *zip, const char *name, int count, const double (*values)[3], Error *error) {
  const size_t bytes = sizeof *values * (size_t)count;
  char *file = array_new((int64_t)(NPY_HEADER + bytes), 1, name, error);
  if (!file) return false;
  npy_header(count, file);
  memcpy(file + NPY_HEADER, values, bytes);
  zip_source_t *source = zip_source_buffer(zip, file, NPY_HEADER + bytes, 1);  // 1: frees it
  if (!source) {
    free(file);
    return error_set(error, "%s: %s", name, zip_strerror(zip));
  }
  const zip_int64_t index = zip_file_add(zip, name, source, ZIP_FL_OVERWRITE);
  if (index < 0) {
    zip_source_free(source);
    return error_set(error, "%s: %s", name, zip_strerror(zip));
  }
  // stored as they are, and the same bytes for the same state: no clock inside
  zip_file_set_mtime(zip, (zip_uint64_t)index, 315532800, 0);  // 1980, where ZIP's time begins
  if (zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_STORE, 0) == 0) return true;
  return error_set(error, "%s: %s", name, zip_strerror(zip));
}

bool state_npz_write(const char *path, int node_count, const double (*positions)[3], const double (*momenta)[3],
                     const double (*initial_positions)[3], Error *error) {
  static const char *const names[ARRAYS] = { "positions.npy", "momenta.npy", "initial_positions.npy" };
  const double(*const arrays[ARRAYS])[3] = { positions, momenta, initial_positions };
  int code = 0;
  zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!zip) {
    zip_error_t words;
    zip_error_init_with_code(&words, code);
    error_set(error, "%s: cannot be written: %s", path, zip_error_strerror(&words));
    zip_error_fini(&words);
    return false;
  }
  for (int k = 0; k < ARRAYS; k++) {
    if (add_array(zip, names[k], node_count, arrays[k], error)) continue;
    zip_discard(zip);
    return error_prefix(error, "%s", path);
  }
  if (zip_close(zip) == 0) return true;  // writes beside it and renames
  error_set(error, "%s: cannot be written: %s", path, zip_strerror(zip));
  zip_discard(zip);
  return false;
}
