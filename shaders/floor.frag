// floor.frag: draws the floor with its grid and the body's shadow, and darkens it where the body hides the sky. The
// floor is transparent towards its border and never hides the body.
#version 450 core
#include "frame.glsl"
#include "shadow.glsl"
// fraction of the sky's light that the body hides from the floor, computed by contact.frag
layout(binding = 1) uniform sampler2D contact_map;
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
  color = vec4(base, fade * (eye.z > ground.x ? max(0.55, max(shadow, sky)) : 0.55 * grid));
}
