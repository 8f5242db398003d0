// obstacle.frag: shades a grey rigid obstacle, with the shadows of the body and of other obstacles.
#version 450 core
#include "frame.glsl"
#include "shade.glsl"
#include "shadow.glsl"
in vec3 position;
in vec3 normal;
layout(location = 0) out vec4 color;
void main() {
  vec3 n = normalize(normal);
  if (!gl_FrontFacing) n = -n;
  // the offset along the normal prevents a shadow of the surface on itself
  float visible = key_visible(position + 0.01 * color_map.w * n, n);
  color = vec4(shade(vec3(0.36, 0.38, 0.40), position, n, visible, 0.5), 1.0);
}
