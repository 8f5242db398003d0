// Tests the reader of Radiance pictures (.hdr), and the light that is computed from them.
#include "../testing.h"

#include <unistd.h>

#include "render/environment_light.h"
#include "render/hdr_file.h"

static char path[] = "/tmp/pliant-environment-XXXXXX";

// Writes a file that consists of a text and of bytes.
static void write_file(const char *text, const uint8_t *data, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_true(file && fwrite(text, 1, strlen(text), file) == strlen(text) && fwrite(data, 1, size, file) == size);
  assert_int_equal(fclose(file), 0);
}

#define HEADER "#?RADIANCE\nEXPOSURE=1\nFORMAT=32-bit_rle_rgbe\n\n"

// Writes a picture of width x height pixels. bright: returns true for the bright pixels; the others are black.
static void write_picture(int width, int height, bool (*bright)(double across, double down)) {
  char text[200];
  const size_t pixels = (size_t)(width * height);
  uint8_t(*data)[4] = calloc(pixels, sizeof *data);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      if (bright((x + 0.5) / width, (y + 0.5) / height))
        memcpy(data[y * width + x], (uint8_t[]){ 128, 128, 128, 132 }, 4);
  snprintf(text, sizeof text, HEADER "-Y %d +X %d\n", height, width);
  write_file(text, data[0], sizeof *data * pixels);
  free(data);
}

static bool everywhere(double across, double down) {
  return across >= 0 && down >= 0;
}

static bool above(double across, double down) {
  return across >= 0 && down < 0.5;
}

static bool at_right(double across, double down) {
  return fabs(across - 0.75) < 0.02 && fabs(down - 0.5) < 0.04;
}

static double diffuse(const EnvironmentLight *light, double x, double y, double z) {
  const double value[] = { 1, y, z, x, x * y, y * z, 3 * z * z - 1, x * z, x * x - y * y };
  double sum = 0;
  for (int k = 0; k < ENVIRONMENT_TERMS; k++) sum += value[k] * (double)light->diffuse[k][1];
  return sum;
}

// Equal light from everywhere gives equal light on all surfaces and in all reflections, at any size of the picture.
static void equal_light_stays_equal(void **state) {
  (void)state;
  const int size[][2] = { { 1, 1 }, { 7, 3 }, { 64, 32 }, { 300, 150 } };
  for (int k = 0; k < 4; k++) {
    Error error = { 0 };
    write_picture(size[k][0], size[k][1], everywhere);
    EnvironmentLight *light = environment_light_read(path, &error);
    MUST(light != NULL);
    const double mean = (double)light->diffuse[0][1];
    for (int j = 0; j < 8; j++) {
      const double got = diffuse(light, sin(j) * cos(3 * j), sin(j) * sin(3 * j), cos(j));
      if (!(fabs(got - mean) <= 1e-3 * mean)) fail_msg("%d x %d: %g, not %g", size[k][0], size[k][1], got, mean);
    }
    const float *reflected = &light->reflected[0][0][0][0];
    for (size_t i = 0; i < sizeof light->reflected / sizeof *reflected; i++)
      assert_true(fabs((double)reflected[i] - mean) <= 1e-5 * mean);
    free(light);
  }
}

// Light from the upper half only: a surface gets (1 + n_z) / 2 of the light that it would get from everywhere.
static void light_from_above_follows_lamberts_law(void **state) {
  (void)state;
  Error error = { 0 };
  write_picture(200, 100, above);
  EnvironmentLight *light = environment_light_read(path, &error);
  MUST(light != NULL);
  const double whole = 2 * (double)light->diffuse[0][1];
  for (int j = 0; j <= 10; j++) {
    const double z = cos(j * M_PI / 10), x = sin(j * M_PI / 10);
    const double got = diffuse(light, 0.6 * x, 0.8 * x, z) / whole;
    if (!(fabs(got - (1 + z) / 2) <= 1e-3)) fail_msg("n_z %g: %g", z, got);
  }
  free(light);
}

// A lamp at three quarters of the width is at the right. It is brightest there, and the rougher the surface the dimmer.
static void a_lamp_is_in_its_direction(void **state) {
  (void)state;
  Error error = { 0 };
  write_picture(128, 64, at_right);
  EnvironmentLight *light = environment_light_read(path, &error);
  MUST(light != NULL);
  const double right = diffuse(light, 1, 0, 0);
  assert_true(right > 3 * fabs(diffuse(light, -1, 0, 0)) && right > 2 * fabs(diffuse(light, 0, 1, 0)));
  for (int k = 0; k < ENVIRONMENT_LEVELS; k++) {
    const float(*row)[3] = (const float(*)[3])light->reflected[k][ENVIRONMENT_HEIGHT / 2];
    const double at_lamp = (double)row[3 * ENVIRONMENT_WIDTH / 4][0], opposite = (double)row[ENVIRONMENT_WIDTH / 4][0];
    assert_true(at_lamp > 2 * opposite);
    if (k > 0)
      assert_true(at_lamp < (double)light->reflected[k - 1][ENVIRONMENT_HEIGHT / 2][3 * ENVIRONMENT_WIDTH / 4][0]);
  }
  free(light);
}

// The three ways to store a row, of eight equal pixels and two others, give the same numbers.
static void all_encodings_are_read(void **state) {
  (void)state;
  static const uint8_t plain[] = { 9, 8, 7, 130, 9, 8, 7, 130, 9, 8, 7, 130, 9, 8, 7, 130, 9, 8, 7, 130,
                                   9, 8, 7, 130, 9, 8, 7, 130, 9, 8, 7, 130, 4, 4, 4, 120, 6, 5, 4, 0 };
  static const uint8_t repeated[] = { 9, 8, 7, 130, 1, 1, 1, 7, 4, 4, 4, 120, 6, 5, 4, 0 };
  static const uint8_t packed[] = {
    2, 2, 0, 10, 136, 9, 2, 4, 6, 136, 8, 2, 4, 5, 136, 7, 130, 4, 136, 130, 2, 120, 0
  };
  const struct {
    const uint8_t *data;
    size_t size;
  } files[] = { { plain, sizeof plain }, { repeated, sizeof repeated }, { packed, sizeof packed } };
  for (int k = 0; k < 3; k++) {
    Error error = { 0 };
    HdrFile hdr;
    float rgb[10][3];
    write_file(HEADER "-Y 1 +X 10\n", files[k].data, files[k].size);
    MUST(hdr_file_open(&hdr, path, &error));
    MUST(hdr_file_row(&hdr, rgb, &error));
    hdr_file_close(&hdr);
    for (int x = 0; x < 8; x++)
      for (int c = 0; c < 3; c++) assert_true(rgb[x][c] == (float)(9 - c) / 64);
    assert_true(rgb[8][1] == 4.0f / 65536 && rgb[9][0] < 1e-30f);
  }
}

static void bad_files_have_clear_errors(void **state) {
  (void)state;
  static const uint8_t ok[64] = { 9, 9, 9, 130 };
  const struct {
    const char *text;
    size_t size;
    const char *message;
  } cases[] = {
    { "P6\n1 1\n", 0, "is not a picture in Radiance's format .hdr" },
    { "", 0, "is not a picture in Radiance's format .hdr" },
    { "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n", 0, "the header has no end" },
    { "#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 1 +X 1\n", 4, "has pixels of the format 32-bit_rle_xyze, expected" },
    { HEADER "+Y 1 +X 1\n", 4, "the size is \"+Y 1 +X 1\", expected \"-Y height +X width\"" },
    { HEADER "-Y 0 +X 1\n", 4, "has 1 x 0 pixels, expected 1 to 32768" },
    { HEADER "-Y 1 +X 99999\n", 4, "has 99999 x 1 pixels" },
    { HEADER "-Y 2 +X 1\n", 4, "ends in row 2 of 2" },
    { HEADER "-Y 1 +X 8\n\2\2\1\1", 32, "is damaged in row 1 of 1" },
    { HEADER "-Y 1 +X 8\n\1\1\1\1", 32, "is damaged in row 1 of 1" },
    { HEADER "-Y 1 +X 1\n\1\2\1\1", 0, NULL },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    Error error = { 0 };
    write_file(cases[k].text, ok, cases[k].size);
    EnvironmentLight *light = environment_light_read(path, &error);
    assert_true((light != NULL) == (cases[k].message == NULL));
    if (!light && (!strstr(error.message, cases[k].message) || !strstr(error.message, path)))
      fail_msg("case %zu: %s", k, error.message);
    free(light);
  }

  Error error = { 0 };
  write_picture(4, 2, at_right);
  assert_null(environment_light_read(path, &error));
  assert_non_null(strstr(error.message, "has no light, since all of its pixels are black"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(equal_light_stays_equal),     cmocka_unit_test(light_from_above_follows_lamberts_law),
    cmocka_unit_test(a_lamp_is_in_its_direction),  cmocka_unit_test(all_encodings_are_read),
    cmocka_unit_test(bad_files_have_clear_errors),
  };
  const int file = mkstemp(path);
  if (file < 0) return 1;
  close(file);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  remove(path);
  return failed;
}
