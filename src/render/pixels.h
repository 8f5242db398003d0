// The three measures of a window, and the conversions between them.
//   window unit: the unit of GLFW's sizes and mouse positions. The window system may show a unit as several pixels.
//   pixel: of the framebuffer. Pictures, events of the mouse, and everything drawn over a picture are in pixels.
//   content scale: the height of text in pixels, relative to a screen of 96 pixels an inch.
// On X11 a unit is a pixel, and a dense screen has a content scale of 2. On Wayland and macOS a unit is then 2 x 2
// pixels, with the same content scale. Only window.c sees window units.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// The pixel at the middle of the window unit at `place`. `units` and `pixels` are the window's size, 0 if minimised.
void pixel_of_unit(const double place[2], const int units[2], const int pixels[2], double pixel[2]);

/// The height of text in a picture of width x height pixels: 15 pixels times the content scale. Pictures larger than
/// 1920x1080 have larger text in any case. The factor is rounded to eighths, and is never below 1.
double text_height(double content_scale, int width, int height);

#ifdef __cplusplus
}
#endif
