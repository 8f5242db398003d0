// cap.vert: places the vertices of the face where a section plane cuts through the tets. At rest the plane intersects
// an edge of a tet at each vertex. The vertex stays at the same fraction of this edge when the body deforms.
#version 450 core
#include "frame.glsl"
#include "nodes.glsl"
layout(location = 0) in ivec2 ends;  // the two nodes of the edge
layout(location = 1) in float part;  // fraction of the edge from its first to its second node, 0 to 1
out vec3 position;
out float value;
flat out vec4 paint;
void main() {
  position = mix(point_of(ends.x), point_of(ends.y), part);
  value = mix(position_of[3 * counts.x + ends.x], position_of[3 * counts.x + ends.y], part);
  paint = paint_of(ends.x);
  gl_Position = seen(ends.x, world_to_clip * vec4(position, 1.0));
}
