// OpenGL without a window or a display, through EGL: on the GPU that CUDA uses, or in software.
#pragma once
#include "device/device.h"

// A zeroed Offscreen is closed.
typedef struct Offscreen {
  void *display, *context;  // EGLDisplay and EGLContext, owned
} Offscreen;

/// Opens an OpenGL 4.5 context and makes it current in this thread. For DEVICE_CUDA the GPU that CUDA uses comes first,
/// so that interop works; else software; else what there is. Fails with the reason of each that was tried.
bool offscreen_create(Offscreen *offscreen, Device device, Error *error);

/// Everything made in the context must have been destroyed. Takes a closed one too.
void offscreen_destroy(Offscreen *offscreen);
