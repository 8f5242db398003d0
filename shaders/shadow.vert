// shadow.vert: the surface as the key light sees it; only depth counts.
#version 450 core
layout(std140, binding = 0) uniform Frame {  // = struct FrameUniforms in surface_renderer.c
  mat4 world_to_clip, world_to_light;
  vec4 eye;       // m
  vec4 to_key;    // unit, toward the key light
  vec4 up;        // unit; w: the floor's height along it, m
  vec4 body;      // m, centre and radius of the ball around the body at rest
  vec4 viewport;  // pixels: width, height; then the size of a unit of the drawing, 1 at a height of 720
};
layout(location = 0) in vec3 in_position;  // m, world
void main() {
  gl_Position = world_to_light * vec4(in_position, 1.0);
}
