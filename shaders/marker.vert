// marker.vert: makes two discs for a spring of the mouse. Instance 0 is at the held point, instance 1 at the target.
#version 450 core
#include "frame.glsl"
#include "nodes.glsl"
layout(location = 0) uniform ivec3 nodes;       // nodes of the surface triangle that contains the held point
layout(location = 1) uniform vec3 barycentric;  // barycentric coordinates of the held point in this triangle
layout(location = 2) uniform vec3 target;       // m, point to which the spring pulls
out vec2 across;  // position on the disc; its border is at length 1

void main() {
  vec3 held = mat3(point_of(nodes.x), point_of(nodes.y), point_of(nodes.z)) * barycentric;
  vec4 center = world_to_clip * vec4(gl_InstanceID == 0 ? held : target, 1.0);
  across = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID & 2) - 1);
  center.xy += across * (gl_InstanceID == 0 ? 4.5 : 6.5) * viewport.z / (0.5 * viewport.xy) * center.w;
  center.z = 0.0;
  gl_Position = center;
}
