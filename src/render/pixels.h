// The three measures of a window, and the conversions between them.
//   window unit: the unit of GLFW's sizes and mouse positions. The window system may show a unit as several pixels.
//   pixel: a pixel of the framebuffer. Pictures, mouse events and the HUD use pixels.
//   content scale: the height of text in pixels, relative to a screen of 96 pixels an inch.
// On X11 a unit is a pixel, and a dense screen has a content scale of 2. On Wayland and macOS a unit is then 2 x 2
// pixels, with the same content scale. Only window.c sees window units.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Computes the pixel at the middle of the window unit at `position`. `units` and `pixels` give the window's size, 0 if
/// it is minimised.
void pixel_of_unit(const double position[2], const int units[2], const int pixels[2], double pixel[2]);

/// Returns the height of text in a picture of width x height pixels: 15 pixels times the content scale. Text is also
/// larger in pictures above 1920x1080. The factor is rounded to eighths and is at least 1.
double text_height(double content_scale, int width, int height);

#ifdef __cplusplus
}
#endif
