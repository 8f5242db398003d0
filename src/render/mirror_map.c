// Creates the picture for reflections in the floor: see mirror_map.h.
#include "render/mirror_map.h"

#include "render/gl_check.h"

bool mirror_map_resize(MirrorMap *map, int width, int height, Error *error) {
  const int wide = (width + 1) / 2, high = (height + 1) / 2;
  if (map->target && map->width == wide && map->height == high) return true;
  mirror_map_destroy(map);
  map->width = wide;
  map->height = high;
  glCreateTextures(GL_TEXTURE_2D, 1, &map->color);
  glTextureStorage2D(map->color, 1, GL_RGBA8, wide, high);
  glTextureParameteri(map->color, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTextureParameteri(map->color, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTextureParameteri(map->color, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glCreateTextures(GL_TEXTURE_2D, 1, &map->depth);
  glTextureStorage2D(map->depth, 1, GL_DEPTH_COMPONENT32F, wide, high);
  glCreateFramebuffers(1, &map->target);
  glNamedFramebufferTexture(map->target, GL_COLOR_ATTACHMENT0, map->color, 0);
  glNamedFramebufferTexture(map->target, GL_DEPTH_ATTACHMENT, map->depth, 0);
  bool ok = GL_CHECK("creating the picture of reflections");
  if (ok && glCheckNamedFramebufferStatus(map->target, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    ok = error_set(error, "OpenGL cannot draw the picture for reflections");
  if (!ok) mirror_map_destroy(map);
  return ok;
}

void mirror_map_destroy(MirrorMap *map) {
  if (map->target) glDeleteFramebuffers(1, &map->target);
  if (map->color) glDeleteTextures(1, &map->color);
  if (map->depth) glDeleteTextures(1, &map->depth);
  *map = (MirrorMap){ 0 };
}

void mirror_map_begin(const MirrorMap *map) {
  const float farthest = 1, nothing[4] = { 0 };
  glBindFramebuffer(GL_FRAMEBUFFER, map->target);
  glViewport(0, 0, map->width, map->height);
  glEnable(GL_DEPTH_TEST);
  glClearNamedFramebufferfv(map->target, GL_DEPTH, 0, &farthest);
  glClearNamedFramebufferfv(map->target, GL_COLOR, 0, nothing);
}

void mirror_map_turn(float world_to_clip[4][4], double z) {
  // The point (x, y, z) is drawn at the place of (x, y, 2 height - z).
  for (int i = 0; i < 4; i++) {
    world_to_clip[3][i] += (float)(2 * z) * world_to_clip[2][i];
    world_to_clip[2][i] = -world_to_clip[2][i];
  }
}
