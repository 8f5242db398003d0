// floor.frag: draws the floor with its grid and the body's shadow, and darkens it where the body hides the sky. The
// floor is transparent towards its border and never hides the body.
#version 450 core
#include "frame.glsl"
#include "shadow.glsl"
// fraction of the sky's light that the body hides from the floor, computed by contact.frag
layout(binding = 1) uniform sampler2D contact_map;
layout(binding = 6) uniform sampler2D mirror_map;  // reflections in the floor, MirrorMap in mirror_map.h
in vec3 position;
layout(location = 0) out vec4 color;

// Returns how much of the pixel grid lines cover, 0 to 1. spacing: m between lines; width: pixels. Where lines are
// denser than pixels, returns their mean coverage.
float lines(float spacing, float width) {
  vec2 at = position.xy / spacing, pixel = fwidth(at);
  vec2 line = clamp(0.5 * width + 0.5 - abs(fract(at - 0.5) - 0.5) / max(pixel, 1e-9), 0.0, 1.0);
  line = mix(line, min(width * pixel, 1.0), smoothstep(0.15, 0.5, pixel));
  return max(line.x, line.y);
}

// Returns the reflected colour, which is slightly blurred and multiplied by its alpha. Its alpha is the covered
// fraction of the neighbourhood.
vec4 reflection() {
  vec2 at = gl_FragCoord.xy / viewport.xy, texel = 1.0 / vec2(textureSize(mirror_map, 0));
  vec4 sum = vec4(0.0);
  for (int k = 0; k < 9; k++) {
    sum += texture(mirror_map, at + 1.5 * texel * (vec2(k / 3, k % 3) - 1.0));
  }
  return sum / 9.0;
}

void main() {
  float away = length(position.xy - body.xy) / ground.z, fade = 1.0 - smoothstep(0.25, 1.0, away);
  float grid = max(0.30 * lines(ground.y, viewport.z), 0.42 * lines(5.0 * ground.y, 1.5 * viewport.z));
  float shadow = 0.0, sky = 0.0;
  if (eye.z > ground.x) {  // from below, only the grid is drawn
    shadow = 1.0 - key_visible(position, vec3(0.0, 0.0, 1.0));
    sky = texture(contact_map, 0.5 * (world_to_foot * vec4(position, 1.0)).xy + 0.5).r;
  }
  // light grey with a thin grid, dimmed by the shadow and by the hidden part of the sky
  float light = 1.0 - 0.40 * shadow - 0.55 * sky;
  vec3 base = mix(vec3(0.80, 0.82, 0.84), vec3(0.36, 0.40, 0.46), grid) * light;
  // a loop without iterations costs nothing
  for (int k = 0; k < int(up.w); k++) {
    vec4 mirrored = reflection();
    float down = normalize(eye.xyz - position).z, share = mirrored.a * (0.16 + 0.5 * pow(1.0 - max(down, 0.0), 3.0));
    base = mix(base, mirrored.rgb / max(mirrored.a, 1e-3), share);
    sky = max(sky, share);
  }
  color = vec4(base, fade * (eye.z > ground.x ? max(0.55, max(shadow, sky)) : 0.55 * grid));
}
