// Light that falls on bodies from a picture of their surroundings, in Radiance's format .hdr. The picture covers all
// directions: its columns are at equal steps of the azimuth, its rows at equal steps of the angle from the upward
// direction. The middle column is ahead.
#pragma once
#include "base/error.h"

enum { ENVIRONMENT_WIDTH = 64, ENVIRONMENT_HEIGHT = 32, ENVIRONMENT_LEVELS = 5, ENVIRONMENT_TERMS = 9 };

// Light of the surroundings, linear RGB. It is scaled so that its mean over all directions has the brightness of the
// light of pictures without surroundings. Directions have the components x to the right, y ahead and z up.
typedef struct EnvironmentLight {
  // Diffuse light by the surface's normal n, for a white surface: the sum of these coefficients times 1, n_y, n_z, n_x,
  // n_x n_y, n_y n_z, 3 n_z^2 - 1, n_x n_z and n_x^2 - n_y^2
  float diffuse[ENVIRONMENT_TERMS][3];
  // Reflected light by direction, as seen in surfaces of roughness 0.2, 0.4, 0.6, 0.8 and 1
  float reflected[ENVIRONMENT_LEVELS][ENVIRONMENT_HEIGHT][ENVIRONMENT_WIDTH][3];
} EnvironmentLight;

/// Reads the light from a picture (.hdr) of any size up to 32,768 x 32,768 pixels. Returns NULL on an error. The caller
/// frees the result with free. The diffuse light is a sum of spherical harmonics up to order 2, which differs from the
/// exact one by at most some percent (Ramamoorthi and Hanrahan, An Efficient Representation for Irradiance Environment
/// Maps, 2001). Takes about 0.1 s and the time to read the file.
EnvironmentLight *environment_light_read(const char *path, Error *error);
