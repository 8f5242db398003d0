layout(std430, binding = 5) readonly buffer Owners { float owner[]; };  // [triangle_count][3] m, centres of tets

// Returns true if a section between tets removes this surface triangle.
bool is_cut(int triangle) {
  vec3 centre = vec3(owner[3 * triangle], owner[3 * triangle + 1], owner[3 * triangle + 2]);
  return counts.z != 0 && dot(section.xyz, centre) > section.w;
}
