// Soft shadows of the key light. This light is a distant disk, so the edge of a shadow gets softer with the distance
// from the object that casts it (Fernando, Percentage-Closer Soft Shadows, 2005). Needs frame.glsl.
layout(binding = 0) uniform sampler2DShadow shadow_map;  // compares depths, seen from the light, 0 to 1
layout(binding = 4) uniform sampler2D shadow_depth;      // depths of the shadow map, and their means at coarser levels

const float LAMP = 0.04;      // tangent of the angle between the middle and the border of the light's disk
const float COARSEST = 16.0;  // texels along an edge of the coarsest level of shadow_depth, as in shadow_map.c
// Samples lie on a spiral. Each is turned against the one before it by the golden angle.
const mat2 GOLDEN = mat2(-0.7373688, 0.6754903, -0.6754903, -0.7373688);

// Returns false if the key light certainly reaches a point with normal n, or if the surface there faces away from it.
// at: position in the map, and depth. The mean depth is 1 only where there are no objects. Interpolation between texels
// of the coarsest level covers half a texel in all directions.
bool may_be_shaded(vec3 at, vec3 n) {
  float level = log2(float(textureSize(shadow_depth, 0).x) / COARSEST);
  bool inside = all(lessThan(abs(at.xy - 0.5), vec2(0.5))), faces = dot(n, to_key.xyz) > 0.0;
  return inside && faces && textureLod(shadow_depth, at.xy, level).r < 1.0;
}

// Returns the fraction of the key light that other parts of the scene let through to a point with normal n, 0 to 1.
// Returns 1 for surfaces that face away from the light, and outside of the shadow map.
float key_visible(vec3 point, vec3 n) {
  vec3 at = 0.5 * (world_to_light * vec4(point, 1.0)).xyz + 0.5;
  at.z = min(at.z, 1.0);
  // Depths are compared with the plane that touches the surface, so that a slanted surface does not shade itself. At
  // grazing angles this plane is nearly parallel to the light, and a less steep one is used.
  vec3 toward = normalize(mat3(world_to_light) * n);
  vec2 slope = -toward.xy / (toward.z < 0.0 ? min(toward.z, -0.2) : max(toward.z, 0.2));
  // Samples of neighbouring pixels are turned against each other, since equal samples would make steps in the shadow.
  // The angle depends only on the pixel (Jimenez, Next Generation Post Processing in Call of Duty, 2014).
  float turn = 6.2831853 * fract(52.9829189 * fract(dot(floor(gl_FragCoord.xy), vec2(0.06711056, 0.00583715))));
  vec2 start = vec2(cos(turn), sin(turn)), direction = start;
  int size = textureSize(shadow_map, 0).x;

  // The search: the mean distance of objects between the point and the light. A loop without iterations costs nothing,
  // while software rendering evaluates both branches of most conditions.
  bool may = may_be_shaded(at, n);
  int searches = may ? hidden.y : 0;
  float reach = min(LAMP * at.z, 0.5 / COARSEST), sum = 0.0, found = 0.0;
  for (int k = 0; k < searches; k++) {
    vec2 aside = reach * sqrt(float(k) / float(max(hidden.y - 1, 1))) * direction;
    direction = GOLDEN * direction;
    vec4 nearer = max(at.z + dot(slope, aside) - textureGather(shadow_depth, at.xy + aside), 0.0);
    sum += dot(nearer, vec4(1.0));
    found += dot(step(1e-6, nearer), vec4(1.0));
  }

  // The fraction of the light's disk that these objects do not hide. The samples go from the border of the disk to its
  // middle. If the first ones agree, the point is not at the edge of a shadow, and these are enough. Without a search,
  // all shadows have edges of the same width.
  float radius = hidden.y > 0 ? max(LAMP * sum / max(found, 1.0), 1.5 / float(size)) : 2.5 / float(size);
  float seen = 0.0;
  int taps = found > 0.0 || (may && hidden.y == 0) ? hidden.z : 0, taken = 0;
  direction = start;
  for (; taken < taps; taken++) {
    vec2 aside = radius * sqrt((float(hidden.w - taken) - 0.5) / float(hidden.w)) * direction;
    direction = GOLDEN * direction;
    seen += texture(shadow_map, at + vec3(aside, dot(slope, aside)));
    bool edge = seen > 0.001 && seen < float(hidden.z) - 0.001;
    if (taken == hidden.z - 1 && edge) taps = hidden.w;
  }
  return taken > 0 ? seen / float(taken) : 1.0;
}
