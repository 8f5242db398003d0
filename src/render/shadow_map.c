// Creates the shadow map: see shadow_map.h.
#include "render/shadow_map.h"

#include "render/gl_check.h"

// Texels along an edge of the coarsest level of the map, as in shadow.glsl. Level k has the mean depths of squares of
// 2^k x 2^k texels.
enum { COARSEST = 16 };

int shadow_map_size(int height) {
  int size = 512;
  while (size < height && size < 4096) size *= 2;
  return size;
}

bool shadow_map_resize(ShadowMap *map, int height, Error *error) {
  const float lit[] = { 1, 1, 1, 1 };  // no object is outside of the map
  const int size = shadow_map_size(height);
  if (map->size == size) return true;
  shadow_map_destroy(map);
  map->size = size;
  map->levels = 1;
  while (size >> map->levels >= COARSEST) map->levels++;
  glCreateTextures(GL_TEXTURE_2D, 1, &map->texture);
  glTextureStorage2D(map->texture, map->levels, GL_DEPTH_COMPONENT24, size, size);
  glTextureParameteri(map->texture, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTextureParameteri(map->texture, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTextureParameteri(map->texture, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
  glTextureParameteri(map->texture, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
  glTextureParameterfv(map->texture, GL_TEXTURE_BORDER_COLOR, lit);
  glTextureParameteri(map->texture, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
  glTextureParameteri(map->texture, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
  glCreateFramebuffers(1, &map->target);
  glNamedFramebufferTexture(map->target, GL_DEPTH_ATTACHMENT, map->texture, 0);
  glNamedFramebufferDrawBuffer(map->target, GL_NONE);
  glNamedFramebufferReadBuffer(map->target, GL_NONE);

  glCreateSamplers(1, &map->plain);
  glSamplerParameteri(map->plain, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
  glSamplerParameteri(map->plain, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glSamplerParameteri(map->plain, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
  glSamplerParameteri(map->plain, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
  glSamplerParameterfv(map->plain, GL_TEXTURE_BORDER_COLOR, lit);
  bool ok = GL_CHECK("creating the shadow map");
  if (ok && glCheckNamedFramebufferStatus(map->target, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    ok = error_set(error, "OpenGL cannot draw the image for shadows");
  if (!ok) shadow_map_destroy(map);
  return ok;
}

void shadow_map_destroy(ShadowMap *map) {
  if (map->target) glDeleteFramebuffers(1, &map->target);
  if (map->texture) glDeleteTextures(1, &map->texture);
  if (map->plain) glDeleteSamplers(1, &map->plain);
  *map = (ShadowMap){ 0 };
}

void shadow_map_finish(const ShadowMap *map, bool dense) {
  const float near = 0;
  if (dense)
    glClearTexImage(map->texture, map->levels - 1, GL_DEPTH_COMPONENT, GL_FLOAT, &near);
  else
    glGenerateTextureMipmap(map->texture);
}

void shadow_map_bind(const ShadowMap *map) {
  glBindTextureUnit(0, map->texture);
  glBindTextureUnit(4, map->texture);
  glBindSampler(4, map->plain);
}
