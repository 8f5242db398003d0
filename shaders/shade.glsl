// Returns the linear RGB colour of a value of the field.
vec3 field_color(float value) {
  int last = counts.y - 1;
  float scaled = color_map.z > 1.5 ? log(max(value, 1e-37)) : value;
  float t = float(last) * clamp((scaled - color_map.x) / max(color_map.y - color_map.x, 1e-30), 0.0, 1.0);
  int k = min(int(t), last - 1);
  return mix(colors[k].rgb, colors[k + 1].rgb, t - float(k));
}

layout(binding = 3) uniform sampler2D occlusion_map;  // fraction of the sky's light per pixel, from occlusion.frag

// Returns the fraction of the sky's light, 0 to 1, that reaches the present pixel and is not hidden by other parts of
// the body.
float own_sky() {
  return viewport.w != 0.0 ? texture(occlusion_map, gl_FragCoord.xy / viewport.xy).r : 1.0;
}

// Returns the fraction of the sky's light that arrives at a point with normal n, 0 to 1. own: result of own_sky for
// this point. The floor hides more of the sky from points near it.
float sky_seen(vec3 position, vec3 n, float own) {
  float height = clamp((position.z - ground.x) / (0.5 * body.w), 0.0, 1.0);
  return own * (1.0 - ground.w * (1.0 - height) * (1.0 - height) * (0.40 - 0.30 * n.z));
}

// Returns the brightness of the key light's reflection on a surface of roughness 0 to 1, which is 1 in the middle of
// the highlight at a roughness of 0.5. A smoother surface reflects as much light in a smaller highlight (Blinn, Models
// of Light Reflection, 1977). The light's own size limits how small a highlight can be.
float highlight(vec3 n, vec3 view, float rough) {
  float r2 = max(rough * rough, 0.025), exponent = 2.5 / (r2 * r2) - 2.0;
  float toward_half = max(dot(n, normalize(to_key.xyz + view)), 0.0);
  return pow(toward_half, exponent) * (exponent + 2.0) / 40.0 * step(0.0, dot(n, to_key.xyz));
}

// Returns the sRGB colour of a surface that shows a field. All lights are white, so that colours match the legend.
// visible: fraction of the key light that reaches the point, 0 to 1; gloss: strength of the highlight, 0: none.
vec3 shade_plain(vec3 albedo, vec3 position, vec3 n, float visible, float gloss) {
  vec3 view = normalize(eye.xyz - position);
  float toward_key = dot(n, to_key.xyz), wrapped = clamp((toward_key + 0.15) / 1.15, 0.0, 1.0);
  float above = 0.5 + 0.5 * dot(n, up.xyz);
  // the key light is a large lamp, so occlusion in folds dims it too
  float own = own_sky(), key = wrapped * mix(0.12, 1.0, visible) * mix(0.55, 1.0, own);
  float light = 0.70 * key + (0.15 + 0.17 * above) * sky_seen(position, n, own);
  light += 0.10 * max(dot(n, view), 0.0);
  float glint = highlight(n, view, 0.5) * visible;
  return pow(albedo * light + gloss * glint, vec3(1.0 / 2.2));
}

layout(binding = 5) uniform sampler3D environment_map;  // EnvironmentLight.reflected in environment_light.h

// Returns the components of a direction to the right, ahead and up in the picture of the surroundings.
vec3 in_surroundings(vec3 direction) {
  return vec3(dot(cross(ahead.xyz, up.xyz), direction), dot(ahead.xyz, direction), dot(up.xyz, direction));
}

// Returns the light of the surroundings that a white surface with normal n scatters.
vec3 environment_diffuse(vec3 n) {
  vec3 d = in_surroundings(n);
  vec3 sum = diffuse[0].rgb + d.y * diffuse[1].rgb + d.z * diffuse[2].rgb + d.x * diffuse[3].rgb;
  sum += d.x * d.y * diffuse[4].rgb + d.y * d.z * diffuse[5].rgb + (3.0 * d.z * d.z - 1.0) * diffuse[6].rgb;
  return max(sum + d.x * d.z * diffuse[7].rgb + (d.x * d.x - d.y * d.y) * diffuse[8].rgb, 0.0);
}

// Returns the light of the surroundings that a surface with normal n reflects. It reflects more light at grazing
// angles, and the more the smoother it is (Schlick, An Inexpensive BRDF Model, 1994).
vec3 environment_reflection(vec3 n, vec3 view, float rough) {
  vec3 d = in_surroundings(reflect(-view, n));
  float across = 0.5 + atan(d.x, d.y) / 6.2831853, down = acos(clamp(d.z, -1.0, 1.0)) / 3.1415927;
  float level = clamp(5.0 * rough - 1.0, 0.0, 4.0), grazing = pow(1.0 - max(dot(n, view), 0.0), 5.0);
  vec3 light = textureLod(environment_map, vec3(across, down, (level + 0.5) / 5.0), 0.0).rgb;
  return light * mix(0.04, 1.0, grazing * (1.0 - rough) * (1.0 - rough));
}

// Returns the sRGB colour of a soft, slightly translucent solid. A warm key light casts a shadow. The light of the
// surroundings, or else a cool sky and a rim light, add to it. visible: fraction of the key light that reaches the
// point, 0 to 1. rough: roughness, 0 to 1.
vec3 shade(vec3 albedo, vec3 position, vec3 n, float visible, float rough) {
  const vec3 KEY = vec3(2.35, 2.2, 2.0), SKY = vec3(0.50, 0.58, 0.70), GROUND = vec3(0.34, 0.27, 0.23);
  const vec3 RIM = vec3(0.55, 0.72, 0.95);
  vec3 view = normalize(eye.xyz - position);
  float facing = max(dot(n, view), 0.0), toward_key = dot(n, to_key.xyz), above = 0.5 + 0.5 * dot(n, up.xyz);
  float glint = highlight(n, view, rough) * visible;
  float own = own_sky(), open = sky_seen(position, n, own);

  // diffuse light continues beyond the border of light and shade, most in red, as in skin
  vec3 wrap = vec3(0.34, 0.16, 0.11);
  vec3 key = clamp((toward_key + wrap) / (1.0 + wrap), 0.0, 1.0);
  key *= key * mix(vec3(0.16, 0.06, 0.05), vec3(1.0), visible);
  key *= mix(0.55, 1.0, own);
  vec3 ambient = mix(GROUND, SKY, above) * open;
  vec3 reflected = 0.45 * RIM * pow(1.0 - facing, 3.5) * (0.35 + 0.65 * above);
  // a loop without iterations costs nothing
  for (int k = 0; k < int(diffuse[0].w); k++) {
    ambient = environment_diffuse(n) * open;
    reflected = environment_reflection(n, view, rough) * own;
  }

  vec3 linear = albedo * (KEY * key + ambient) + KEY * 0.11 * glint + reflected;
  linear = linear * (1.0 + linear / 9.0) / (1.0 + linear);  // Reinhard's tone mapping: 3 becomes 1, that is, white
  return pow(linear, vec3(1.0 / 2.2));
}
