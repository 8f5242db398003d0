// surface.frag: a soft, slightly translucent solid under a warm key light with a shadow, a cool sky and a rim light.
#version 450 core
layout(std140, binding = 0) uniform Frame {  // = struct FrameUniforms in surface_renderer.c
  mat4 world_to_clip, world_to_light;
  vec4 eye;       // m
  vec4 to_key;    // unit, toward the key light
  vec4 up;        // unit; w: the floor's height along it, m
  vec4 body;      // m, centre and radius of the ball around the body at rest
  vec4 viewport;  // pixels: width, height; then the size of a unit of the drawing, 1 at a height of 720
};
layout(binding = 0) uniform sampler2DShadow shadow_map;
in vec3 position;
in vec3 normal;
layout(location = 0) out vec4 color;

const vec3 ALBEDO = vec3(0.76, 0.37, 0.25);       // linear
const vec3 ALBEDO_INSIDE = vec3(0.30, 0.09, 0.07);
const vec3 KEY = vec3(2.35, 2.2, 2.0), SKY = vec3(0.50, 0.58, 0.70), GROUND = vec3(0.34, 0.27, 0.23);
const vec3 RIM = vec3(0.55, 0.72, 0.95);

// part of the key light that arrives, 0 to 1: nine taps, each bilinear
float key_visible(vec3 point) {
  vec4 light = world_to_light * vec4(point, 1.0);
  vec3 at = 0.5 * light.xyz + 0.5;
  at.z = min(at.z, 1.0);
  float sum = 0.0, texel = 1.0 / float(textureSize(shadow_map, 0).x);
  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++) sum += texture(shadow_map, at + vec3(1.4 * texel * vec2(i, j), 0.0));
  return sum / 9.0;
}

void main() {
  vec3 n = normalize(normal), view = normalize(eye.xyz - position);
  vec3 albedo = gl_FrontFacing ? ALBEDO : ALBEDO_INSIDE;
  if (!gl_FrontFacing) n = -n;
  float facing = max(dot(n, view), 0.0), toward_key = dot(n, to_key.xyz);

  // light wraps round the edge of shade, most in red, as it does in skin
  float visible = toward_key > 0.0 ? key_visible(position + 0.006 * body.w * n) : 1.0;
  vec3 wrap = vec3(0.34, 0.16, 0.11);
  vec3 diffuse = clamp((toward_key + wrap) / (1.0 + wrap), 0.0, 1.0);
  diffuse *= diffuse * mix(vec3(0.16, 0.06, 0.05), vec3(1.0), visible);

  // sky from above, floor from below; less of both near the floor
  float height = clamp((dot(position, up.xyz) - up.w) / body.w, 0.0, 1.0);
  vec3 ambient = mix(GROUND, SKY, 0.5 + 0.5 * dot(n, up.xyz)) * mix(0.55, 1.0, smoothstep(0.0, 0.6, height));

  vec3 half_way = normalize(to_key.xyz + view);
  float gloss = 0.11 * visible * pow(max(dot(n, half_way), 0.0), 38.0) * step(0.0, toward_key);
  float rim = pow(1.0 - facing, 3.5) * (0.35 + 0.65 * clamp(0.5 + 0.5 * dot(n, up.xyz), 0.0, 1.0));

  vec3 linear = albedo * (KEY * diffuse + ambient) + KEY * gloss + 0.45 * RIM * rim;
  linear = linear * (1.0 + linear / 9.0) / (1.0 + linear);  // Reinhard with white at 3
  color = vec4(pow(linear, vec3(1.0 / 2.2)), 1.0);
}
