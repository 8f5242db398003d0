layout(std430, binding = 0) readonly buffer Positions { float position_of[]; };  // [node_count][3] m, then the field
// [node_count][3] m, then [node_count] the colour of each node's body: 0xbbggrr as a number, or -1; then [node_count]
// that body's number
layout(std430, binding = 6) readonly buffer Rest { float rest_of[]; };

vec3 point_of(int a) {
  return vec3(position_of[3 * a], position_of[3 * a + 1], position_of[3 * a + 2]);
}
vec3 rest_point(int a) {
  return vec3(rest_of[3 * a], rest_of[3 * a + 1], rest_of[3 * a + 2]);
}
// linear; w: 1 where the node's body has a colour of its own, 2 where the surface goes through itself
vec4 paint_of(int a) {
  float paint = rest_of[3 * counts.x + a];
  if (paint < 0.0) return vec4(0.0);
  if (paint >= 16777216.0) return vec4(0.9, 0.01, 0.01, 2.0);
  uint bits = uint(paint);
  return vec4(pow(vec3(bits & 255u, bits >> 8 & 255u, bits >> 16) / 255.0, vec3(2.2)), 1.0);
}
