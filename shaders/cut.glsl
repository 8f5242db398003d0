// [triangle_count][3] m, centre at rest of the tet to which each surface triangle belongs
layout(std430, binding = 5) readonly buffer Owners { float owner[]; };

// Returns true if the section removes this surface triangle: sections that show whole tets remove a tet if its centre
// is beyond the plane.
bool is_cut(int triangle) {
  vec3 centre = vec3(owner[3 * triangle], owner[3 * triangle + 1], owner[3 * triangle + 2]);
  return counts.z != 0 && dot(section.xyz, centre) > section.w;
}
