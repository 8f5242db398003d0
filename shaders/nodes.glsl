// [node_count][3] m, present positions; then [node_count] values of the field; then its statistics and the vectors of
// arrows (SurfaceRenderer.positions)
layout(std430, binding = 0) readonly buffer Positions { float position_of[]; };
// [node_count][3] m, rest positions; then [node_count] colours of nodes; then [node_count] numbers of the nodes'
// bodies. A colour is the number 0xbbggrr, or -1 for the default colour, or at least 0x1000000 if the surface
// intersects itself at the node
layout(std430, binding = 6) readonly buffer Rest { float rest_of[]; };

vec3 point_of(int a) {
  return vec3(position_of[3 * a], position_of[3 * a + 1], position_of[3 * a + 2]);
}
vec3 rest_point(int a) {
  return vec3(rest_of[3 * a], rest_of[3 * a + 1], rest_of[3 * a + 2]);
}
// Returns the vector of a node.
vec3 vector_of(int a) {
  int at = 4 * counts.x + int(to_key.w) + 3 * a;
  return vec3(position_of[at], position_of[at + 1], position_of[at + 2]);
}
// Returns the position in clip space of a vertex at a node. If the node's body is hidden, returns a point out of view.
vec4 seen(int a, vec4 in_clip_space) {
  bool is_hidden = (hidden.x >> int(rest_of[4 * counts.x + a]) & 1) != 0;
  return is_hidden ? vec4(2.0, 2.0, 2.0, 1.0) : in_clip_space;
}
// Returns the roughness of the surface of a node's body, 0 to 1.
float roughness_of(int a) {
  int own = int(rest_of[4 * counts.x + a]);
  return roughness[own / 4][own % 4];
}
// Returns the opacity of the surface of a node's body, 0 to 1.
float opacity_of(int a) {
  int own = int(rest_of[4 * counts.x + a]);
  return opacity[own / 4][own % 4];
}
// Returns the colour of a node: xyz is the linear RGB colour. w is 0 if the node has the default colour (xyz is then
// unused), 1 if its body has a colour, 2 if the surface intersects itself at the node.
vec4 paint_of(int a) {
  float paint = rest_of[3 * counts.x + a];
  if (paint < 0.0) return vec4(0.0);
  if (paint >= 16777216.0) return vec4(0.9, 0.01, 0.01, 2.0);
  uint bits = uint(paint);
  return vec4(pow(vec3(bits & 255u, bits >> 8 & 255u, bits >> 16) / 255.0, vec3(2.2)), 1.0);
}
