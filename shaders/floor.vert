// floor.vert: a square under the body, at the height of its lowest point at rest.
#version 450 core
layout(std140, binding = 0) uniform Frame {  // = struct FrameUniforms in surface_renderer.c
  mat4 world_to_clip, world_to_light;
  vec4 eye;       // m
  vec4 to_key;    // unit, toward the key light
  vec4 up;        // unit; w: the floor's height along it, m
  vec4 body;      // m, centre and radius of the ball around the body at rest
  vec4 viewport;  // pixels: width, height; then the size of a unit of the drawing, 1 at a height of 720
};
out vec3 position;
void main() {
  vec3 side = normalize(cross(up.xyz, abs(up.x) < 0.8 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0)));
  vec2 corner = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID & 2) - 1) * 2.6 * body.w;
  position = body.xyz + (up.w - dot(body.xyz, up.xyz)) * up.xyz + corner.x * side + corner.y * cross(up.xyz, side);
  gl_Position = world_to_clip * vec4(position, 1.0);
}
