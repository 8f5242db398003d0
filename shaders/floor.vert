// floor.vert: a square under the body, at the height of its lowest point at rest.
#version 450 core
#include "frame.glsl"
out vec3 position;
void main() {
  vec3 side = normalize(cross(up.xyz, abs(up.x) < 0.8 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0)));
  vec2 corner = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID & 2) - 1) * 2.6 * body.w;
  position = body.xyz + (up.w - dot(body.xyz, up.xyz)) * up.xyz + corner.x * side + corner.y * cross(up.xyz, side);
  gl_Position = world_to_clip * vec4(position, 1.0);
}
