// pick_cap.frag: writes the triangle numbers of the section's cut face, which follow those of the surface.
#version 450 core
in vec3 position;
in float value;
layout(location = 0) uniform uint before;  // number of surface triangles
layout(location = 0) out uint id;
void main() {
  id = before + uint(gl_PrimitiveID) + 1u;
}
