// OpenGL without a window or a display, by EGL, on the GPU that CUDA uses or on the CPU.
#pragma once
#include "device/device.h"

// An OpenGL context without a window. Zeroed: closed.
typedef struct Offscreen {
  void *display, *context;  // EGLDisplay and EGLContext, owned
} Offscreen;

/// Creates an OpenGL 4.5 context and makes it current in this thread. For DEVICE_CUDA, first tries the GPU that
/// CUDA uses, since sharing buffers with CUDA requires it. Then tries the library Mesa without a surface, then all EGL
/// devices. If all attempts fail, the message has the reason for each.
bool offscreen_create(Offscreen *offscreen, Device device, Error *error);

/// Destroys the context. Its OpenGL objects must have been destroyed before. Accepts a closed Offscreen.
void offscreen_destroy(Offscreen *offscreen);
