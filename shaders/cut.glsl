// [triangle_count]: centre at rest of the tet to which each surface triangle belongs, m; w: 1 if a cut has opened the
// triangle, else 0
layout(std430, binding = 5) readonly buffer Owners { vec4 owner[]; };

// Returns true if the section removes this surface triangle: sections that show whole tets remove a tet if its centre
// is beyond the plane.
bool is_cut(int triangle) {
  return counts.z != 0 && dot(section.xyz, owner[triangle].xyz) > section.w;
}

// Returns true if a cut has opened this surface triangle.
bool is_opened(int triangle) {
  return owner[triangle].w > 0.5;
}
