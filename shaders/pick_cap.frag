// pick_cap.frag: writes the number of the triangle + 1 for triangles of the flat face of a section. They are numbered
// after the triangles of the surface.
#version 450 core
in vec3 position;
in float value;
layout(location = 0) uniform uint before;  // number of surface triangles
layout(location = 0) out uint id;
void main() {
  id = before + uint(gl_PrimitiveID) + 1u;
}
