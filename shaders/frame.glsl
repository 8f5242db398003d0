layout(std140, binding = 0) uniform Frame {  // = struct FrameUniforms in surface_buffers.h
  mat4 world_to_clip, world_to_light;
  mat4 world_to_foot;  // the view from below the floor
  vec4 eye;         // m
  vec4 to_key;      // unit, toward the key light
  vec4 up;          // unit
  vec4 body;        // m, centre and radius of the bounding sphere of the body at rest
  vec4 viewport;    // pixels: width, height; z: scale of lines and dots, 1 at a height of 720;
                    // w: 1 if there is an occlusion map
  vec4 section;     // drawn where dot(xyz, rest position) <= w; xyz 0: everywhere
  vec4 hover;       // m, patch under the mouse: centre at rest, radius; radius 0: none
  vec4 color_map;   // low and high end of the field's range; z: 1 if there is a field; w: m, radius of the shadow map
  vec4 ground;      // m, the floor's height along z, grid spacing and half width; w: 1 if there is a floor
  ivec4 counts;     // nodes; points of the colour map; 1 if a section removes whole tets; body of hover + 1, 0: any
  vec4 colors[32];  // colour map from low to high, linear
};
