// surface.vert: places the deformed surface. A vertex has a node number and a normal (from normals.comp). Positions and
// field are read from the buffer to which the simulation writes.
#version 450 core
#include "frame.glsl"
#include "nodes.glsl"
layout(location = 0) in int in_node;
layout(location = 1) in vec3 in_normal;  // unit length, outward
out vec3 position;
out vec3 normal;
out vec3 rest;
out float value;
out float touch;  // 1 if there are contact lines and the node has a contact force
flat out vec4 paint;
flat out float rough;
flat out float opaque;
void main() {
  position = point_of(in_node);
  normal = in_normal;
  value = position_of[3 * counts.x + in_node];
  touch = ahead.w > 0.0 && vector_of(in_node) != vec3(0.0) ? 1.0 : 0.0;
  rest = rest_point(in_node);
  paint = paint_of(in_node);
  rough = roughness_of(in_node);
  opaque = eye.w * opacity_of(in_node);
  gl_Position = seen(in_node, world_to_clip * vec4(position, 1.0));
  gl_ClipDistance[0] = section.w - dot(section.xyz, rest);
  // The mouse grabs one body only. Vertices of other bodies are moved out of the highlighted patch.
  if (counts.w > 0 && int(rest_of[4 * counts.x + in_node]) + 1 != counts.w) rest = hover.xyz + 4.0 * hover.w;
}
