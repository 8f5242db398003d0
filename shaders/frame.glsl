layout(std140, binding = 0) uniform Frame {  // = struct FrameUniforms in surface_renderer.c
  mat4 world_to_clip, world_to_light;
  mat4 world_to_foot;  // seen from below the floor
  vec4 eye;         // m
  vec4 to_key;      // unit, toward the key light
  vec4 up;          // unit
  vec4 body;        // m, centre and radius of the ball around the body at rest
  vec4 viewport;    // pixels: width, height; then the size of a unit of the drawing, 1 at a height of 720;
                    // w: 1 if there is an occlusion map
  vec4 section;     // what is drawn lies where dot(xyz, rest position) <= w; xyz 0: all
  vec4 hover;       // m, what the mouse would take: a point at rest and the patch's radius; 0: nothing
  vec4 color_map;   // low and high end of the field's colours; z: 1 if there is a field; w: m, what the key light sees
  vec4 ground;      // the floor: height along z, spacing of its grid and how far it is seen, m; w: 1 if there is one
  ivec4 counts;     // nodes; points of the colour map; whether a section leaves out whole tets; hover's body, from 1
  vec4 colors[32];  // of the field, from low to high, linear
};
