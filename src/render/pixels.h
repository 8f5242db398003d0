// Converts between units of length in a window:
//
//   - window unit: unit of GLFW's sizes and mouse positions. The window system may show a unit as several pixels.
//   - pixel: pixel of the framebuffer. Pictures, mouse events and the HUD use pixels.
//   - content scale: factor by which text is enlarged; 1 on a screen of 96 pixels per inch.
//
// On X11 a window unit is one pixel, also on a dense screen with a content scale of 2. On Wayland and macOS, a window
// unit of such a screen is 2 x 2 pixels. Only window.c uses window units.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Converts the position of the mouse, in window units, to pixels. A window unit may show several pixels; the result is
/// the middle of these. units, pixels: size of the window in window units and in pixels; 0 if the window is minimised.
void pixel_of_unit(const double position[2], const int units[2], const int pixels[2], double pixel[2]);

/// Returns the height of text, pixels, in a picture of width x height pixels: 15 times a factor. The factor is the
/// content scale, but larger in pictures above 1920x1080, and is at least 1. The user's factor `text_size` multiplies
/// it, but it enlarges text only as long as the picture has 640 x 400 pixels per 15 pixels of text, so that panels fit.
/// The total factor is rounded to a multiple of 1/8.
double text_height(double content_scale, double text_size, int width, int height);

#ifdef __cplusplus
}
#endif
