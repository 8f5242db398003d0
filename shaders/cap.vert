// cap.vert: the cut face of a smooth section. Each vertex is on an edge of a tet, at the same fraction as at rest.
#version 450 core
#include "frame.glsl"
#include "nodes.glsl"
layout(location = 0) in ivec2 ends;  // nodes
layout(location = 1) in float part;  // fraction of the edge from the first node to the second, 0 to 1
out vec3 position;
out float value;
flat out vec4 paint;
void main() {
  position = mix(point_of(ends.x), point_of(ends.y), part);
  value = mix(position_of[3 * counts.x + ends.x], position_of[3 * counts.x + ends.y], part);
  paint = paint_of(ends.x);
  gl_Position = world_to_clip * vec4(position, 1.0);
}
