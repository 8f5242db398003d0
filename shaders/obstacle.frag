// obstacle.frag: shades a rigid obstacle, which is grey or, if it is selected, orange. Bodies and other obstacles cast
// shadows on it.
#version 450 core
#include "frame.glsl"
#include "shade.glsl"
#include "shadow.glsl"
in vec3 position;
in vec3 normal;
layout(location = 0) uniform float lit;  // 1: the obstacle is selected, 0: it is not
layout(location = 0) out vec4 color;
void main() {
  vec3 n = normalize(normal);
  if (!gl_FrontFacing) n = -n;
  // the offset along the normal prevents a shadow of the surface on itself
  float visible = key_visible(position + 0.01 * color_map.w * n, n);
  vec3 base = mix(vec3(0.36, 0.38, 0.40), vec3(1.0, 0.34, 0.05), lit);
  color = vec4(shade(base, position, n, visible, 0.5), 1.0);
}
