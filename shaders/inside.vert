// inside.vert: all faces of the tets that the section leaves, twelve vertices a tet; the others collapse.
#version 450 core
#include "frame.glsl"
layout(std430, binding = 0) readonly buffer Positions { float position_of[]; };  // [node_count][3] m, then the field
layout(std430, binding = 6) readonly buffer Rest { float rest_of[]; };           // [node_count][3] m
layout(std430, binding = 7) readonly buffer Tets { int tet[]; };                 // [tet_count][4]
layout(location = 0) uniform int node_count;
out vec3 position;
flat out vec3 face_normal;
out vec3 across;  // 1 at a corner, 0 on the side over against it
out float value;

const int FACES[12] = int[12](0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3);

vec3 point(int a) {
  return vec3(position_of[3 * a], position_of[3 * a + 1], position_of[3 * a + 2]);
}
vec3 rest(int a) {
  return vec3(rest_of[3 * a], rest_of[3 * a + 1], rest_of[3 * a + 2]);
}

void main() {
  int e = gl_VertexID / 12, corner = gl_VertexID % 3, face = gl_VertexID % 12 - corner;
  ivec4 nodes = ivec4(tet[4 * e], tet[4 * e + 1], tet[4 * e + 2], tet[4 * e + 3]);
  vec3 middle = 0.25 * (rest(nodes.x) + rest(nodes.y) + rest(nodes.z) + rest(nodes.w));
  int a = nodes[FACES[face]], b = nodes[FACES[face + 1]], c = nodes[FACES[face + 2]];
  int own = corner == 0 ? a : corner == 1 ? b : c;
  position = point(own);
  face_normal = cross(point(b) - point(a), point(c) - point(a));
  across = vec3(corner == 0, corner == 1, corner == 2);
  value = position_of[3 * node_count + own];
  gl_Position = dot(section.xyz, middle) > section.w ? vec4(2.0, 2.0, 2.0, 1.0) : world_to_clip * vec4(position, 1.0);
}
