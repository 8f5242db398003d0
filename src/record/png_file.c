// Writes and reads pictures as PNG files by libpng: see png_file.h.
#include "record/png_file.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "render/gl_picture.h"

static void put(png_structp png, png_bytep bytes, size_t size) {
  if (fwrite(bytes, 1, size, png_get_io_ptr(png)) != size) png_error(png, strerror(errno));
}

// Encodes a picture. On an error, libpng jumps back to setjmp. So this function changes no variable that is read after
// the jump.
static bool encode(png_structp png, png_infop info, FILE *file, const uint8_t *rgba, int width, int height) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_write_fn(png, file, put, NULL);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png, 4);  // files are 2 % larger than at the default level, but written three times as fast
  png_write_info(png, info);
  png_set_filler(png, 0, PNG_FILLER_AFTER);  // drops the fourth byte of each pixel
  for (int row = 0; row < height; row++) png_write_row(png, rgba + 4 * (size_t)width * (size_t)row);
  png_write_end(png, NULL);
  return true;
}

static void on_error(png_structp png, png_const_charp words) {
  snprintf(png_get_error_ptr(png), 128, "%s", words);
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp words) {
  (void)png, (void)words;
}

bool png_write(const char *path, const uint8_t *rgba, int width, int height, Error *error) {
  bool ok = false;
  char words[128] = "";
  AtomicFile file = { 0 };
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, words, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    error_set(error, "%s: out of memory: cannot write the PNG file; close other programs", path);
    goto done;
  }
  if (!atomic_file_open(&file, path, error)) goto done;
  if (!encode(png, info, file.stream, rgba, width, height)) {
    error_set(error, "%s: cannot be written: %s", path, words);
    goto done;
  }
  ok = atomic_file_commit_unsynced(&file, error);
done:
  atomic_file_close(&file);
  png_destroy_write_struct(&png, &info);
  return ok;
}

bool png_read(const char *path, uint8_t *rgba, int width, int height, Error *error) {
  png_image image = { .version = PNG_IMAGE_VERSION };
  if (!png_image_begin_read_from_file(&image, path))
    return error_set(error, "%s: cannot be read: %s", path, image.message);
  const bool fits = image.width == (png_uint_32)width && image.height == (png_uint_32)height;
  image.format = PNG_FORMAT_RGBA;
  const bool ok = fits && png_image_finish_read(&image, NULL, rgba, 4 * width, NULL);
  if (!fits)
    error_set(error, "%s: has %u x %u pixels, expected %d x %d", path, image.width, image.height, width, height);
  else if (!ok)
    error_set(error, "%s: cannot be read: %s", path, image.message);
  png_image_free(&image);
  return ok;
}

bool png_write_window(const char *path, int width, int height, Error *error) {
  uint8_t *rgba = array_new((int64_t)width * height, 4, "the picture", error);
  const bool ok = rgba && gl_read_picture(0, width, height, rgba, error) && png_write(path, rgba, width, height, error);
  free(rgba);
  return ok;
}
