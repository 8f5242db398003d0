layout(std140, binding = 0) uniform Frame {  // = struct FrameUniforms in surface_renderer.c
  mat4 world_to_clip, world_to_light;
  vec4 eye;        // m
  vec4 to_key;     // unit, toward the key light
  vec4 up;         // unit; w: the floor's height along it, m
  vec4 body;       // m, centre and radius of the ball around the body at rest
  vec4 viewport;   // pixels: width, height; then the size of a unit of the drawing, 1 at a height of 720
  vec4 section;    // what is drawn lies where dot(xyz, rest position) <= w; xyz 0: all
  vec4 hover;      // m, what the mouse would take: a point at rest and the patch's radius; 0: nothing
  vec4 color_map;  // low and high end of the field's colours; z: 1 if there is a field; w: spare
  ivec4 counts;    // nodes
  vec4 colors[8];  // of the field, from low to high, sRGB
};
