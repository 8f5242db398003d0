// obstacle.frag: shades a grey rigid obstacle, with the shadows of the body and of other obstacles.
#version 450 core
#include "frame.glsl"
#include "shade.glsl"
layout(binding = 0) uniform sampler2DShadow shadow_map;
in vec3 position;
in vec3 normal;
layout(location = 0) out vec4 color;
void main() {
  vec3 n = normalize(normal);
  if (!gl_FrontFacing) n = -n;
  // the offset along the normal prevents a shadow of the surface on itself; outside the shadow map there is no shadow
  vec3 at = 0.5 * (world_to_light * vec4(position + 0.01 * color_map.w * n, 1.0)).xyz + 0.5;
  bool seen = all(lessThan(abs(at.xy - 0.5), vec2(0.5))) && dot(n, to_key.xyz) > 0.0;
  float visible = seen ? texture(shadow_map, vec3(at.xy, min(at.z, 1.0))) : 1.0;
  color = vec4(shade(vec3(0.36, 0.38, 0.40), position, n, visible), 1.0);
}
