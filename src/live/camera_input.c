// Changes a camera by keys and mouse movements: see camera_input.h.
#include "live/camera_input.h"

#include <math.h>

// Turns the camera to the view from the front (key 1), the side (3) or above (7). If `opposite`, the view is from
// behind, from the other side or from below.
static void look_from(Camera *camera, int code, bool opposite) {
  const double turn = 3.14159265358979 / 2;
  const int side = code == KEY_1 ? 0 : code == KEY_3 ? 1 : 2;
  camera_look_from(camera, side == 1 ? turn : 0, side == 2 ? turn : 0);
  if (opposite && side < 2) camera_orbit(camera, 2 * turn, 0);
  if (opposite && side == 2) camera_orbit(camera, 0, -2 * turn);
}

bool camera_take_key(Camera *camera, const WindowEvent *event) {
  const double turn = 3.14159265358979 / 12;
  switch (event->code) {
    case KEY_1:
    case KEY_3:
    case KEY_7:
      look_from(camera, event->code, event->shift);
      return true;
    case KEY_LEFT:
    case KEY_RIGHT:
      camera_orbit(camera, event->code == KEY_LEFT ? -turn : turn, 0);
      return true;
    case KEY_UP:
    case KEY_DOWN:
      camera_orbit(camera, 0, event->code == KEY_UP ? turn : -turn);
      return true;
    default:
      return false;
  }
}

void camera_take_turn(Camera *camera, double dx, double dy, int height) {
  // rad per pixel: a movement over the height of the picture is half a turn
  const double turn = 3.14159265358979 / fmax(1, height);
  camera_orbit(camera, -turn * dx, turn * dy);
}
