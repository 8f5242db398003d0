// Computes ambient occlusion: see occlusion.h.
#include "render/occlusion.h"

#include <cglm/cglm.h>
#include <string.h>

#include "render/gl_check.h"

static void create(GLuint *texture, GLuint *target, int width, int height, GLenum format, GLenum attachment,
                   GLenum filter) {
  glCreateTextures(GL_TEXTURE_2D, 1, texture);
  glTextureStorage2D(*texture, 1, format, width, height);
  glTextureParameteri(*texture, GL_TEXTURE_MIN_FILTER, (GLint)filter);
  glTextureParameteri(*texture, GL_TEXTURE_MAG_FILTER, (GLint)filter);
  glTextureParameteri(*texture, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTextureParameteri(*texture, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glCreateFramebuffers(1, target);
  glNamedFramebufferTexture(*target, attachment, *texture, 0);
}

bool occlusion_map_resize(OcclusionMap *map, int width, int height, Error *error) {
  const int wide = (width + 1) / 2, high = (height + 1) / 2;
  if (map->depth && map->width == wide && map->height == high) return true;
  occlusion_map_destroy(map);
  map->width = wide;
  map->height = high;
  create(&map->depth, &map->depth_target, wide, high, GL_DEPTH_COMPONENT32F, GL_DEPTH_ATTACHMENT, GL_NEAREST);
  glNamedFramebufferDrawBuffer(map->depth_target, GL_NONE);
  glNamedFramebufferReadBuffer(map->depth_target, GL_NONE);
  create(&map->left, &map->left_target, wide, high, GL_R8, GL_COLOR_ATTACHMENT0, GL_LINEAR);
  const GLuint targets[] = { map->depth_target, map->left_target };
  bool ok = GL_CHECK("creating the occlusion map");
  for (int k = 0; ok && k < 2; k++)
    if (glCheckNamedFramebufferStatus(targets[k], GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      ok = error_set(error, "OpenGL cannot draw the image for ambient occlusion");
  if (!ok) occlusion_map_destroy(map);
  return ok;
}

void occlusion_map_destroy(OcclusionMap *map) {
  const GLuint textures[] = { map->depth, map->left }, targets[] = { map->depth_target, map->left_target };
  for (int k = 0; k < 2; k++) {
    if (targets[k]) glDeleteFramebuffers(1, &targets[k]);
    if (textures[k]) glDeleteTextures(1, &textures[k]);
  }
  *map = (OcclusionMap){ 0 };
}

void occlusion_map_begin(const OcclusionMap *map) {
  const float farthest = 1;
  glBindFramebuffer(GL_FRAMEBUFFER, map->depth_target);
  glViewport(0, 0, map->width, map->height);
  glEnable(GL_DEPTH_TEST);
  glClearNamedFramebufferfv(map->depth_target, GL_DEPTH, 0, &farthest);
}

void occlusion_map_end(const OcclusionMap *map, unsigned program, const float world_to_clip[4][4], double reach) {
  mat4 forth, back;
  memcpy(forth, world_to_clip, sizeof forth);
  glm_mat4_inv(forth, back);
  glBindFramebuffer(GL_FRAMEBUFFER, map->left_target);
  glDisable(GL_DEPTH_TEST);
  glBindTextureUnit(2, map->depth);
  glUseProgram(program);
  glUniformMatrix4fv(0, 1, GL_FALSE, &back[0][0]);
  glUniform1f(4, (float)reach);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}
