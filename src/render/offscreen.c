// Creates OpenGL contexts without a window: see offscreen.h.
#include "render/offscreen.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdio.h>
#include <string.h>

#include "render/gl_check.h"

enum { EGL_DEVICES_MAX = 32 };

#ifndef EGL_CUDA_DEVICE_NV
#define EGL_CUDA_DEVICE_NV 0x323A
#endif

static bool has_word(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = list; at && (at = strstr(at, word)); at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
  return false;
}

// Creates an OpenGL 4.5 core context on this display, without a surface (a window or an image to draw into). Makes the
// context current in this thread.
static bool open_context(Offscreen *offscreen, EGLDisplay display, Error *error) {
  static const EGLint config_wish[] = { EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE };
  static const EGLint context_wish[] = {
    EGL_CONTEXT_MAJOR_VERSION,           4,       EGL_CONTEXT_MINOR_VERSION, 5, EGL_CONTEXT_OPENGL_PROFILE_MASK,
    EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE
  };
  EGLint major, minor, count = 0;
  EGLConfig config = NULL;
  EGLContext context = EGL_NO_CONTEXT;
  if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor))
    return error_set(error, "it has no display (EGL error 0x%x)", eglGetError());
  if (!eglBindAPI(EGL_OPENGL_API)) {
    error_set(error, "it has no OpenGL");
    goto failed;
  }
  eglChooseConfig(display, config_wish, &config, 1, &count);
  if (count == 0) config = EGL_NO_CONFIG_KHR;
  context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wish);
  if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
    error_set(error, "it has no OpenGL 4.5 (EGL error 0x%x)", eglGetError());
    goto failed;
  }
  if (!gl_load(eglGetProcAddress, error)) goto failed;
  offscreen->display = display;
  offscreen->context = context;
  return true;
failed:
  eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
  eglTerminate(display);
  return false;
}

// Creates a context on this display by open_context. If this fails, returns false and appends "WHAT: REASON" to the
// message in `reasons`; the parameter `what` names the display.
static bool try_display(Offscreen *offscreen, EGLDisplay display, const char *what, Error *reasons) {
  Error error = { 0 };
  if (open_context(offscreen, display, &error)) return true;
  const size_t length = strlen(reasons->message);
  snprintf(reasons->message + length, sizeof reasons->message - length, "%s%s: %.200s", length ? "; " : "", what,
           error.message);
  return false;
}

static bool open_any(Offscreen *offscreen, Device device, Error *error) {
  Error reasons = { 0 };
  const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
  PFNEGLQUERYDEVICEATTRIBEXTPROC attribute =
      (PFNEGLQUERYDEVICEATTRIBEXTPROC)eglGetProcAddress("eglQueryDeviceAttribEXT");
  PFNEGLGETPLATFORMDISPLAYEXTPROC display_of =
      (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
  EGLDeviceEXT devices[EGL_DEVICES_MAX];
  EGLint count = 0;
  if (query && attribute && display_of && !query(EGL_DEVICES_MAX, devices, &count)) count = 0;

  // tries the GPU that is CUDA's device 0
  for (EGLint k = 0; k < count && device == DEVICE_CUDA; k++) {
    EGLAttrib ordinal = -1;
    if (!attribute(devices[k], EGL_CUDA_DEVICE_NV, &ordinal) || ordinal != 0) continue;
    EGLDisplay display = display_of(EGL_PLATFORM_DEVICE_EXT, devices[k], NULL);
    if (try_display(offscreen, display, "CUDA's GPU", &reasons)) return true;
  }

  // tries Mesa without a surface, which draws on the CPU or on a GPU with a Mesa driver
  if (display_of && has_word(client, "EGL_MESA_platform_surfaceless")) {
    EGLDisplay display = display_of(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (try_display(offscreen, display, "Mesa without a surface", &reasons)) return true;
  }

  // tries all EGL devices
  for (EGLint k = 0; k < count; k++) {
    EGLDisplay display = display_of(EGL_PLATFORM_DEVICE_EXT, devices[k], NULL);
    if (try_display(offscreen, display, "an EGL device", &reasons)) return true;
  }
  return error_set(error, "drawing without a window needs EGL with OpenGL 4.5 (" GL_BY_PROCESSOR "); %s",
                   reasons.message[0] ? reasons.message : "EGL offers neither devices nor Mesa's software renderer");
}

bool offscreen_create(Offscreen *offscreen, Device device, Error *error) {
  *offscreen = (Offscreen){ 0 };
  return open_any(offscreen, device, error);
}

void offscreen_destroy(Offscreen *offscreen) {
  if (offscreen->context) {
    eglMakeCurrent(offscreen->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(offscreen->display, offscreen->context);
    eglTerminate(offscreen->display);
  }
  *offscreen = (Offscreen){ 0 };
}
