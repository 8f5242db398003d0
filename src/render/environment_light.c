// Reads the light of the surroundings: see environment_light.h.
#include "render/environment_light.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "render/hdr_file.h"

enum { WIDTH = ENVIRONMENT_WIDTH, HEIGHT = ENVIRONMENT_HEIGHT };

// Mean brightness of the light over all directions, about that of the sky and the ground in shade.glsl
static const double BRIGHTNESS = 0.45;

// Adds a row of a picture to the pixels of `sum` that it covers. Each pixel of `sum` becomes the mean over its area.
static void add_row(const HdrFile *hdr, int row, const float (*rgb)[3], double (*sum)[WIDTH][3]) {
  const double low = (double)row * HEIGHT / hdr->height, high = (double)(row + 1) * HEIGHT / hdr->height;
  for (int j = (int)low; j < HEIGHT && j < high; j++) {
    const double tall = fmin(high, j + 1) - fmax(low, j);
    for (int x = 0; x < hdr->width; x++) {
      const double left = (double)x * WIDTH / hdr->width, right = (double)(x + 1) * WIDTH / hdr->width;
      for (int i = (int)left; i < WIDTH && i < right; i++) {
        const double part = tall * (fmin(right, i + 1) - fmax(left, i));
        for (int c = 0; c < 3; c++) sum[j][i][c] += part * rgb[x][c];
      }
    }
  }
}

static bool read_picture(const char *path, double (*sum)[WIDTH][3], Error *error) {
  HdrFile hdr;
  if (!hdr_file_open(&hdr, path, error)) return false;
  float(*row)[3] = array_new(hdr.width, sizeof *row, "a row of a picture", error);
  bool ok = row;
  for (int y = 0; ok && y < hdr.height; y++) {
    ok = hdr_file_row(&hdr, row, error);
    if (ok) add_row(&hdr, y, (const float(*)[3])row, sum);
  }
  free(row);
  hdr_file_close(&hdr);
  return ok;
}

// Computes the direction of the middle of a pixel, in a picture of width x height pixels. Returns the pixel's solid
// angle divided by that of all directions.
static double direction_of(int i, int j, int width, int height, double d[3]) {
  const double azimuth = 2 * M_PI * (i + 0.5) / width - M_PI, from_up = M_PI * (j + 0.5) / height;
  d[0] = sin(from_up) * sin(azimuth);
  d[1] = sin(from_up) * cos(azimuth);
  d[2] = cos(from_up);
  const double half = M_PI / 2 / height;
  return (cos(from_up - half) - cos(from_up + half)) / (2 * width);
}

// Scales the picture to the mean brightness BRIGHTNESS.
static bool normalise(const char *path, double (*sum)[WIDTH][3], Error *error) {
  double mean = 0, d[3];
  for (int j = 0; j < HEIGHT; j++)
    for (int i = 0; i < WIDTH; i++) {
      const double *c = sum[j][i];
      mean += direction_of(i, j, WIDTH, HEIGHT, d) * (0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]);
    }
  if (!(mean > 0)) return error_set(error, "%s: has no light, since all of its pixels are black", path);
  for (int j = 0; j < HEIGHT; j++)
    for (int i = 0; i < WIDTH; i++)
      for (int c = 0; c < 3; c++) sum[j][i][c] *= BRIGHTNESS / mean;
  return true;
}

// Computes the terms of the diffuse light: the picture's spherical harmonics times the weights 1, 2/3 and 1/4 of orders
// 0, 1 and 2, by which a surface with Lambert's law averages the light.
static void compute_diffuse(const double (*picture)[WIDTH][3], EnvironmentLight *light) {
  // squares of the factors of the normalised harmonics, times 4 pi, times the weights
  static const double FACTOR[ENVIRONMENT_TERMS] = { 1,        3 * 2 / 3.0, 3 * 2 / 3.0, 3 * 2 / 3.0, 15 / 4.0,
                                                    15 / 4.0, 5 / 4.0 / 4, 15 / 4.0,    15 / 4.0 / 4 };
  double total[ENVIRONMENT_TERMS][3] = { { 0 } }, d[3];
  for (int j = 0; j < HEIGHT; j++)
    for (int i = 0; i < WIDTH; i++) {
      const double angle = direction_of(i, j, WIDTH, HEIGHT, d);
      const double value[ENVIRONMENT_TERMS] = {
        1, d[1], d[2], d[0], d[0] * d[1], d[1] * d[2], 3 * d[2] * d[2] - 1, d[0] * d[2], d[0] * d[0] - d[1] * d[1]
      };
      for (int k = 0; k < ENVIRONMENT_TERMS; k++)
        for (int c = 0; c < 3; c++) total[k][c] += angle * FACTOR[k] * value[k] * picture[j][i][c];
    }
  for (int k = 0; k < ENVIRONMENT_TERMS; k++)
    for (int c = 0; c < 3; c++) light->diffuse[k][c] = (float)total[k][c];
}

// Computes a level of the reflected light: for each direction, the mean of the light about it, weighted by the power
// `exponent` of the cosine of the distance. Uses the mean of each square of 2 x 2 pixels of the picture.
static void compute_level(const double (*picture)[WIDTH][3], double exponent, float (*level)[WIDTH][3]) {
  enum { COARSE_WIDTH = WIDTH / 2, COARSE_HEIGHT = HEIGHT / 2, COARSE = COARSE_WIDTH * COARSE_HEIGHT };
  double from[COARSE][3], light[COARSE][3], angle[COARSE], to[3];
  for (int k = 0; k < COARSE; k++) {
    const int i = k % COARSE_WIDTH, j = k / COARSE_WIDTH;
    angle[k] = direction_of(i, j, COARSE_WIDTH, COARSE_HEIGHT, from[k]);
    for (int c = 0; c < 3; c++)
      light[k][c] = (picture[2 * j][2 * i][c] + picture[2 * j][2 * i + 1][c] + picture[2 * j + 1][2 * i][c] +
                     picture[2 * j + 1][2 * i + 1][c]) /
                    4;
  }

  for (int j = 0; j < HEIGHT; j++)
    for (int i = 0; i < WIDTH; i++) {
      double sum[3] = { 0 }, weights = 0;
      direction_of(i, j, WIDTH, HEIGHT, to);
      for (int k = 0; k < COARSE; k++) {
        const double cosine = to[0] * from[k][0] + to[1] * from[k][1] + to[2] * from[k][2];
        if (cosine <= 0) continue;
        const double weight = angle[k] * pow(cosine, exponent);
        weights += weight;
        for (int c = 0; c < 3; c++) sum[c] += weight * light[k][c];
      }
      for (int c = 0; c < 3; c++) level[j][i][c] = (float)(sum[c] / weights);
    }
}

EnvironmentLight *environment_light_read(const char *path, Error *error) {
  double(*picture)[WIDTH][3] = array_new(HEIGHT, sizeof *picture, "the light of the surroundings", error);
  EnvironmentLight *light = array_new(1, sizeof *light, "the light of the surroundings", error);
  if (!picture || !light || !read_picture(path, picture, error) || !normalise(path, picture, error)) {
    free(picture);
    free(light);
    return NULL;
  }
  compute_diffuse((const double(*)[WIDTH][3])picture, light);

  // A surface of roughness 0.2 shows the picture as it is. For rougher ones, the exponent about the direction of the
  // reflected ray is a quarter of that about the direction half-way to the light, which shade.glsl uses.
  for (int j = 0; j < HEIGHT; j++)
    for (int i = 0; i < WIDTH; i++)
      for (int c = 0; c < 3; c++) light->reflected[0][j][i][c] = (float)picture[j][i][c];
  for (int k = 1; k < ENVIRONMENT_LEVELS; k++) {
    const double roughness = (k + 1) / (double)ENVIRONMENT_LEVELS;
    compute_level((const double(*)[WIDTH][3])picture, (2.5 / pow(roughness, 4) - 2) / 4, light->reflected[k]);
  }
  free(picture);
  return light;
}
