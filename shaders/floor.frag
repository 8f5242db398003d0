// floor.frag: only the body's shadow, fading out; the floor itself is not seen, and hides nothing.
#version 450 core
#include "frame.glsl"
layout(binding = 0) uniform sampler2DShadow shadow_map;
in vec3 position;
layout(location = 0) out vec4 color;
void main() {
  if (dot(eye.xyz, up.xyz) < up.w) discard;  // from below there is no floor
  vec3 at = 0.5 * (world_to_light * vec4(position, 1.0)).xyz + 0.5;
  at.z = min(at.z, 1.0);
  // softer the farther from the body's foot, as under a lamp of some size
  float away = length(position - body.xyz + (dot(body.xyz, up.xyz) - up.w) * up.xyz) / body.w;
  if (away > 2.6) discard;
  float spread = 1.5 + 5.0 * away, texel = 1.0 / float(textureSize(shadow_map, 0).x), sum = 25.0;
  if (all(lessThan(abs(at.xy - 0.5), vec2(0.5)))) {  // elsewhere the light sees nothing of the body
    sum = 0.0;
    for (int i = -2; i <= 2; i++)
      for (int j = -2; j <= 2; j++) sum += texture(shadow_map, at + vec3(0.5 * spread * texel * vec2(i, j), 0.0));
  }
  float shade = (1.0 - sum / 25.0) * 0.42 * (1.0 - smoothstep(0.6, 2.6, away));
  shade += 0.30 * exp(-5.0 * away * away);  // what the foot takes of the sky
  color = vec4(0.16, 0.17, 0.20, clamp(shade, 0.0, 0.75));
}
