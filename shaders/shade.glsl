// the field's colour at a value, linear
vec3 field_color(float value) {
  float t = 7.0 * clamp((value - color_map.x) / max(color_map.y - color_map.x, 1e-30), 0.0, 1.0);
  int k = min(int(t), 6);
  return pow(mix(colors[k].rgb, colors[k + 1].rgb, t - float(k)), vec3(2.2));
}

// what leaves a surface of this colour, sRGB: a soft, slightly translucent solid under a warm key light with a shadow,
// a cool sky and a rim light; plainer where colours are to be read
vec3 shade(vec3 albedo, vec3 position, vec3 n, float visible, bool plain) {
  const vec3 KEY = vec3(2.35, 2.2, 2.0), SKY = vec3(0.50, 0.58, 0.70), GROUND = vec3(0.34, 0.27, 0.23);
  const vec3 RIM = vec3(0.55, 0.72, 0.95);
  vec3 view = normalize(eye.xyz - position);
  float facing = max(dot(n, view), 0.0), toward_key = dot(n, to_key.xyz);
  if (plain) {
    float light = 0.48 + 0.30 * clamp(0.5 + 0.5 * toward_key, 0.0, 1.0) * mix(0.7, 1.0, visible) + 0.22 * facing;
    return pow(albedo * light, vec3(1.0 / 2.2));
  }

  // light wraps round the edge of shade, most in red, as it does in skin
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
  return pow(linear, vec3(1.0 / 2.2));
}
