// OpenGL without a window or a display, by EGL: on the GPU that CUDA uses, or in software.
#pragma once
#include "device/device.h"

// A zeroed Offscreen is closed.
typedef struct Offscreen {
  void *display, *context;  // EGLDisplay and EGLContext; owned
} Offscreen;

/// Opens an OpenGL 4.5 context and makes it current in this thread. For DEVICE_CUDA it first tries the GPU that CUDA
/// uses, which CUDA-OpenGL interop requires. Then it tries the library Mesa without a surface, and then all EGL
/// devices. On failure the error has the reason for each attempt.
bool offscreen_create(Offscreen *offscreen, Device device, Error *error);

/// Closes the context. All OpenGL objects of the context must have been destroyed before. Accepts a closed Offscreen.
void offscreen_destroy(Offscreen *offscreen);
