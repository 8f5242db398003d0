// Converts window units to pixels, and computes the height of text: see pixels.h.
#include "render/pixels.h"

#include <math.h>

static const double TEXT_PIXELS = 15;

void pixel_of_unit(const double position[2], const int units[2], const int pixels[2], double pixel[2]) {
  for (int i = 0; i < 2; i++) pixel[i] = (position[i] + 0.5) * pixels[i] / (units[i] > 0 ? units[i] : 1);
}

double text_height(double content_scale, double text_size, int width, int height) {
  const double large = fmin(width / 1920.0, height / 1080.0);
  const double factor = fmax(1, fmax(content_scale, large));
  double eighths = round(8 * factor * text_size);
  const double normal = round(8 * factor), most = floor(8 * fmin(width / 640.0, height / 400.0));
  if (eighths > normal && eighths > most) eighths = fmax(normal, most);
  return TEXT_PIXELS * eighths / 8;
}
