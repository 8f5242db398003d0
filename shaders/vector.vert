// vector.vert: makes arrows at every stride-th node, from vertex numbers: two triangles for the shaft, one for the
// head.
#version 450 core
#include "frame.glsl"
#include "nodes.glsl"
layout(location = 0) uniform float scale;  // m, length of an arrow for a vector of length 1
layout(location = 1) uniform int stride;   // difference of node numbers between arrows
out vec2 across;  // distance from the middle of the line, read by spring.frag; 0 gives no smooth edges

const vec2 SHAFT[6] = vec2[6](vec2(0, -1), vec2(1, -1), vec2(0, 1), vec2(0, 1), vec2(1, -1), vec2(1, 1));

void main() {
  int node = gl_InstanceID * stride;
  vec3 foot = point_of(node), tip = foot + scale * vector_of(node);
  vec4 from = world_to_clip * vec4(foot, 1.0), to = world_to_clip * vec4(tip, 1.0);
  vec2 a = 0.5 * viewport.xy * from.xy / from.w, b = 0.5 * viewport.xy * to.xy / to.w;  // pixels
  float len = length(b - a), unit = viewport.z, head = min(7.0 * unit, 0.5 * len);
  vec2 along = (b - a) / max(len, 1e-3), aside = vec2(-along.y, along.x);
  bool cut = dot(section.xyz, rest_point(node)) > section.w || from.w <= 0.0 || to.w <= 0.0 || len < 2.0 * unit;
  vec2 pixel;
  float part;
  if (gl_VertexID < 6) {
    vec2 corner = SHAFT[gl_VertexID];
    part = corner.x * (1.0 - head / max(len, 1e-3));
    pixel = a + part * (b - a) + 0.9 * unit * corner.y * aside;
  } else {
    part = gl_VertexID == 8 ? 1.0 : 1.0 - head / max(len, 1e-3);
    pixel = a + part * (b - a) + (gl_VertexID == 8 ? 0.0 : gl_VertexID == 6 ? -0.45 : 0.45) * head * aside;
  }
  across = vec2(0.0);
  float w = mix(from.w, to.w, part);
  gl_Position = seen(node, vec4(pixel / (0.5 * viewport.xy) * w, mix(from.z, to.z, part) - 1e-3 * w, w));
  if (cut) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
