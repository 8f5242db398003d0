// Compresses pictures as JPEG: see jpeg.h.
#include "serve/jpeg.h"

#include <setjmp.h>
#include <stdio.h>  // jpeglib.h needs FILE
#include <stdlib.h>

#include <jpeglib.h>

// Handler for errors of libjpeg. libjpeg requires that the handler does not return, so it jumps to `back`.
typedef struct Handler {
  struct jpeg_error_mgr manager;
  jmp_buf back;
} Handler;

static void leave(j_common_ptr compressor) {
  longjmp(((Handler *)compressor->err)->back, 1);
}

void jpeg_free(Jpeg *jpeg) {
  free(jpeg->bytes);
  *jpeg = (Jpeg){ 0 };
}

bool jpeg_compress(Jpeg *jpeg, const uint8_t *rgba, int width, int height, int quality, Error *error) {
  struct jpeg_compress_struct compressor = { 0 };
  Handler handler;
  jpeg_free(jpeg);
  compressor.err = jpeg_std_error(&handler.manager);
  handler.manager.error_exit = leave;
  if (setjmp(handler.back)) {
    char why[JMSG_LENGTH_MAX];
    handler.manager.format_message((j_common_ptr)&compressor, why);
    jpeg_destroy_compress(&compressor);
    jpeg_free(jpeg);
    return error_set(error, "the picture cannot be compressed: %s", why);
  }

  jpeg_create_compress(&compressor);
  jpeg_mem_dest(&compressor, &jpeg->bytes, &jpeg->size);
  compressor.image_width = (JDIMENSION)width;
  compressor.image_height = (JDIMENSION)height;
  compressor.input_components = 4;
  compressor.in_color_space = JCS_EXT_RGBX;
  jpeg_set_defaults(&compressor);
  jpeg_set_quality(&compressor, quality, TRUE);
  jpeg_start_compress(&compressor, TRUE);
  while (compressor.next_scanline < compressor.image_height) {
    const uint8_t *row = rgba + (size_t)compressor.next_scanline * (size_t)width * 4;
    JSAMPROW rows[1] = { (JSAMPROW)row };
    jpeg_write_scanlines(&compressor, rows, 1);
  }

  jpeg_finish_compress(&compressor);
  jpeg_destroy_compress(&compressor);
  return true;
}
