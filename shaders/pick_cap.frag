// pick_cap.frag: triangles of a section's cut are numbered on from those of the surface.
#version 450 core
in vec3 position;
in float value;
layout(location = 0) uniform uint before;  // how many the surface has
layout(location = 0) out uint id;
void main() {
  id = before + uint(gl_PrimitiveID) + 1u;
}
