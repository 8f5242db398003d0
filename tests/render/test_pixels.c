// Tests the conversion of window units to pixels, and the height of text, on screens of any pixel density. A window
// unit is the unit of length in which a window system measures the mouse.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/pixels.h"

static void a_unit_that_is_a_pixel_has_its_middle(void **state) {
  (void)state;
  double pixel[2];
  pixel_of_unit((const double[2]){ 0, 319 }, (const int[2]){ 400, 320 }, (const int[2]){ 400, 320 }, pixel);
  assert_true(pixel[0] == 0.5 && pixel[1] == 319.5);
}

// The middle of a window unit is the middle of the pixels that it covers. With double density, a unit covers 2 x 2
// pixels, and its middle is their common corner.
static void the_middle_of_a_unit_is_that_of_its_pixels(void **state) {
  (void)state;
  static const int units[2] = { 400, 320 };
  for (int density = 1; density <= 4; density++) {
    const int pixels[2] = { density * units[0], density * units[1] };
    for (int k = 0; k < 320; k += 29) {
      double pixel[2];
      pixel_of_unit((const double[2]){ k, 319 - k }, units, pixels, pixel);
      assert_true(pixel[0] == density * (k + 0.5) && pixel[1] == density * (319 - k + 0.5));
    }
  }
}

static void a_fractional_density_reaches_from_edge_to_edge(void **state) {
  (void)state;
  static const int units[2] = { 1280, 800 }, pixels[2] = { 1920, 1200 };
  double first[2], last[2];
  pixel_of_unit((const double[2]){ -0.5, -0.5 }, units, pixels, first);
  pixel_of_unit((const double[2]){ 1279.5, 799.5 }, units, pixels, last);
  assert_true(first[0] == 0 && first[1] == 0 && last[0] == 1920 && last[1] == 1200);
}

static void a_minimised_window_has_finite_positions(void **state) {
  (void)state;
  double pixel[2];
  pixel_of_unit((const double[2]){ 7, 7 }, (const int[2]){ 0, 0 }, (const int[2]){ 0, 0 }, pixel);
  assert_true(pixel[0] == 0 && pixel[1] == 0);
}

static void text_is_scaled_once_on_screens_of_high_density(void **state) {
  (void)state;

  // content_scale: density of the screen, relative to an ordinary one. text_size: the user's factor. width, height:
  // size of the picture, pixels. expected: height of the text, pixels.
  static const struct {
    double content_scale, text_size;
    int width, height;
    double expected;
  } rows[] = {
    { 1, 1, 1280, 800, 15 },           // an ordinary screen
    { 2, 1, 2560, 1600, 30 },          // a window of equal size on a screen of double density
    { 1.5, 1, 1920, 1200, 22.5 },      // a window of equal size on a screen of 1.5 times the density
    { 1.04, 1, 1280, 800, 15 },        // densities are rounded to eighths, here to 1
    { 0.5, 1, 1280, 800, 15 },         // text is never smaller than 15 pixels
    { 1, 1, 3840, 2160, 30 },          // a large picture on an ordinary screen
    { 2, 1, 3840, 2160, 30 },          // the factor is the larger of density and picture size, not their product
    { 480 / 720.0, 1, 640, 480, 15 },  // a picture without a window
    { 1, 2, 1280, 800, 30 },           // the user's factor 2 doubles the text
    { 1, 0.75, 640, 400, 11.25 },      // the user's factor may be less than 1
    { 2, 1.5, 2560, 1600, 45 },        // the user's factor multiplies the density
    { 1, 2, 960, 640, 22.5 },          // in a small window, a factor above 1 is reduced, so that the panel fits
    { 1, 2, 640, 400, 15 },            // in this window only text of normal size fits
    { 1, 2, 320, 200, 15 },            // in a still smaller window, text keeps its normal size
    { 1, 0.75, 320, 200, 11.25 },      // a factor below 1 is never changed
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const double height = text_height(rows[k].content_scale, rows[k].text_size, rows[k].width, rows[k].height);
    if (height != rows[k].expected) fail_msg("row %zu: %g pixels, expected %g", k, height, rows[k].expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_unit_that_is_a_pixel_has_its_middle),
    cmocka_unit_test(the_middle_of_a_unit_is_that_of_its_pixels),
    cmocka_unit_test(a_fractional_density_reaches_from_edge_to_edge),
    cmocka_unit_test(a_minimised_window_has_finite_positions),
    cmocka_unit_test(text_is_scaled_once_on_screens_of_high_density),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
