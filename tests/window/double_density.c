// A library for LD_PRELOAD that makes GLFW on X11 act as on a screen of double density under Wayland or macOS. Tests
// use X11, on which a window unit is always one pixel. With this library a window unit is 2 x 2 pixels of the
// framebuffer, and the content scale is 2.
#define _GNU_SOURCE  // for RTLD_NEXT
#include <dlfcn.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

enum { DENSITY = 2 };

static GLFWcursorposfun on_move;

// the function of GLFW that a function below with the same name replaces
#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

GLFWwindow *glfwCreateWindow(int width, int height, const char *title, GLFWmonitor *monitor, GLFWwindow *share) {
  return NEXT(glfwCreateWindow)(DENSITY * width, DENSITY * height, title, monitor, share);
}

void glfwGetWindowSize(GLFWwindow *window, int *width, int *height) {
  NEXT(glfwGetWindowSize)(window, width, height);
  if (width) *width /= DENSITY;
  if (height) *height /= DENSITY;
}

void glfwGetWindowContentScale(GLFWwindow *window, float *x, float *y) {
  (void)window;
  *x = *y = DENSITY;
}

void glfwGetCursorPos(GLFWwindow *window, double *x, double *y) {
  NEXT(glfwGetCursorPos)(window, x, y);
  *x /= DENSITY;
  *y /= DENSITY;
}

static void move_in_units(GLFWwindow *window, double x, double y) {
  on_move(window, x / DENSITY, y / DENSITY);
}

GLFWcursorposfun glfwSetCursorPosCallback(GLFWwindow *window, GLFWcursorposfun callback) {
  GLFWcursorposfun before = on_move;
  on_move = callback;
  NEXT(glfwSetCursorPosCallback)(window, move_in_units);
  return before;
}
