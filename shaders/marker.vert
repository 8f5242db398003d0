// marker.vert: discs at the ends of a spring. Instance 0 is the held point, instance 1 the target.
#version 450 core
#include "frame.glsl"
#include "nodes.glsl"
layout(location = 0) uniform ivec3 nodes;       // nodes of the held triangle
layout(location = 1) uniform vec3 barycentric;  // coordinates of the held point
layout(location = 2) uniform vec3 target;       // m, end point of the spring
out vec2 across;  // -1 to 1 over the disc

void main() {
  vec3 held = mat3(point_of(nodes.x), point_of(nodes.y), point_of(nodes.z)) * barycentric;
  vec4 center = world_to_clip * vec4(gl_InstanceID == 0 ? held : target, 1.0);
  across = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID & 2) - 1);
  center.xy += across * (gl_InstanceID == 0 ? 4.5 : 6.5) * viewport.z / (0.5 * viewport.xy) * center.w;
  center.z = 0.0;
  gl_Position = center;
}
