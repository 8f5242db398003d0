// inside.vert: makes the four faces of each tet that the section keeps, 12 vertices per tet. Removed tets are moved out
// of view.
#version 450 core
#include "frame.glsl"
#include "nodes.glsl"
layout(std430, binding = 7) readonly buffer Tets { int tet[]; };  // [tet_count][4], node numbers
out vec3 position;
flat out vec3 face_normal;
out vec3 across;  // barycentric coordinates in the face, 0 on an edge
out float value;
flat out vec4 paint;

const int FACES[12] = int[12](0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3);  // corners of the four faces

void main() {
  int e = gl_VertexID / 12, corner = gl_VertexID % 3, face = gl_VertexID % 12 - corner;
  ivec4 nodes = ivec4(tet[4 * e], tet[4 * e + 1], tet[4 * e + 2], tet[4 * e + 3]);
  vec3 middle = 0.25 * (rest_point(nodes.x) + rest_point(nodes.y) + rest_point(nodes.z) + rest_point(nodes.w));
  int a = nodes[FACES[face]], b = nodes[FACES[face + 1]], c = nodes[FACES[face + 2]];
  int own = corner == 0 ? a : corner == 1 ? b : c;
  position = point_of(own);
  face_normal = cross(point_of(b) - point_of(a), point_of(c) - point_of(a));
  across = vec3(corner == 0, corner == 1, corner == 2);
  value = position_of[3 * counts.x + own];
  paint = paint_of(own);
  gl_Position = dot(section.xyz, middle) > section.w ? vec4(2.0, 2.0, 2.0, 1.0)
                                                   : seen(own, world_to_clip * vec4(position, 1.0));
}
