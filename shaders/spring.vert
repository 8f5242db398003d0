// spring.vert: makes a spring of the mouse as a flat coil from the held point to its target. The triangle strip is
// computed from vertex numbers: vertices 2 k and 2 k + 1 are the two sides of the line at fraction k / segments.
#version 450 core
#include "frame.glsl"
#include "nodes.glsl"
layout(location = 0) uniform ivec3 nodes;       // nodes of the surface triangle that contains the held point
layout(location = 1) uniform vec3 barycentric;  // barycentric coordinates of the held point in this triangle
layout(location = 2) uniform vec3 target;       // m, point to which the spring pulls
layout(location = 3) uniform int segments;  // number of straight pieces of the line
out vec2 across;  // y: -1 to 1 across the line

const float TURNS = 9.0, PI = 3.14159265;

void main() {
  vec3 held = mat3(point_of(nodes.x), point_of(nodes.y), point_of(nodes.z)) * barycentric;
  vec4 from = world_to_clip * vec4(held, 1.0), to = world_to_clip * vec4(target, 1.0);
  vec2 a = 0.5 * viewport.xy * from.xy / from.w, b = 0.5 * viewport.xy * to.xy / to.w;  // pixels
  float len = max(length(b - a), 1e-3), unit = viewport.z;
  vec2 along = (b - a) / len, aside = vec2(-along.y, along.x);

  // center and tangent of the coil at this vertex; the coil ends in straight pieces
  float s = float(gl_VertexID / 2) / float(segments), side = float(gl_VertexID % 2) * 2.0 - 1.0;
  float amplitude = min(5.5 * unit, 0.2 * len), phase = 2.0 * PI * TURNS * s;
  float envelope = smoothstep(0.06, 0.16, s) * smoothstep(0.06, 0.16, 1.0 - s);
  vec2 center = a + s * len * along + amplitude * envelope * sin(phase) * aside;
  vec2 tangent = normalize(len * along + amplitude * envelope * 2.0 * PI * TURNS * cos(phase) * aside);
  vec2 pixel = center + side * 1.9 * unit * vec2(-tangent.y, tangent.x);
  across = vec2(0.0, side);
  float w = mix(from.w, to.w, s);
  gl_Position = vec4(pixel / (0.5 * viewport.xy) * w, 0.0, w);
}
