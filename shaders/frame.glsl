// Values of one picture. Must have the members of struct FrameUniforms in surface_buffers.h.
layout(std140, binding = 0) uniform Frame {
  mat4 world_to_clip, world_to_light;
  mat4 world_to_foot;  // projection to the height map that contact.frag reads: the body, seen from below the floor
  vec4 eye;         // m, camera_viewpoint: the eye, or a far point behind it if the camera is orthographic;
                    // w: opacity of a surface that faces it, 1: opaque
  vec4 to_key;      // unit vector toward the key light, the main lamp, which casts the shadow; w: number of values
                    // between the field and the vectors in position_of (nodes.glsl)
  vec4 up;          // unit vector, upward; w: 1 if the floor shows reflections
  vec4 ahead;       // unit vector, horizontal, to the middle of the picture of the surroundings; w: 1 if lines surround
                    // the nodes whose vector is not zero
  vec4 body;        // m, centre (xyz) and radius (w) of the bounding sphere of the body at rest
  vec4 viewport;    // pixels: width x, height y; z: factor for widths of lines and dots, 1 at a height of 720;
                    // w: 1 if there is an occlusion map
  vec4 section;     // parts with dot(xyz, rest position) <= w are drawn; xyz 0: all parts are drawn
  vec4 hover;       // m, highlighted patch under the mouse: centre at rest (xyz) and radius (w); w 0: no patch
  vec4 color_map;   // x, y: field values of the first and last colour, or their logarithms if z is 2;
                    // z: 0 without a field, 1 with a linear scale, 2 with a logarithmic one; w: m, radius of the
                    // shadow map
  vec4 ground;      // m: x height of the floor along z, y grid spacing, z half width of the drawn square;
                    // w: 1 if there is a floor
  ivec4 counts;     // x: nodes; y: colours of the map; z: 1 if a section removes whole tets;
                    // w: number of the highlighted patch's body + 1; 0: any body
  ivec4 hidden;     // x: bit k is set if body k is hidden; numbers of samples in shadow.glsl: y of the search, 0: none;
                    // z and w of a soft edge, those that are taken first and all
  vec4 roughness[8];  // roughness of bodies 0 to 31, 0 to 1; each vector has four bodies
  vec4 opacity[8];    // opacity of bodies 0 to 31, as roughness
  vec4 diffuse[9];    // EnvironmentLight.diffuse in environment_light.h; w of the first: 1 if there are surroundings
  vec4 colors[32];  // colour map from low to high values, linear RGB
};
