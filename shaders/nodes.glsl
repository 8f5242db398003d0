layout(std430, binding = 0) readonly buffer Positions { float position_of[]; };  // [node_count][3] m, then the field
layout(std430, binding = 6) readonly buffer Rest { float rest_of[]; };           // [node_count][3] m

vec3 point_of(int a) {
  return vec3(position_of[3 * a], position_of[3 * a + 1], position_of[3 * a + 2]);
}
vec3 rest_point(int a) {
  return vec3(rest_of[3 * a], rest_of[3 * a + 1], rest_of[3 * a + 2]);
}
