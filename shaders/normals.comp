// normals.comp: computes a unit normal for each vertex of the surface. Each vertex sums the normals of its triangles,
// weighted by area, in the order of the list `fan`. There are no atomics, so equal positions give equal bits.
#version 450 core
layout(local_size_x = 128) in;
layout(std430, binding = 0) readonly buffer Positions { float position[]; };  // [node_count][3], m
layout(std430, binding = 1) writeonly buffer Normals { float normal[]; };     // [vertex_count][3], unit
layout(std430, binding = 2) readonly buffer Triangles { int triangle[]; };    // [triangle_count][3], node numbers
layout(std430, binding = 3) readonly buffer FanStart { int fan_start[]; };    // [vertex_count + 1], see `fan`
// [3 * triangle_count], numbers of triangles: those of vertex v are fan[fan_start[v]] to fan[fan_start[v + 1] - 1]
layout(std430, binding = 4) readonly buffer Fan { int fan[]; };
layout(location = 0) uniform int vertex_count;

vec3 point(int a) {
  return vec3(position[3 * a], position[3 * a + 1], position[3 * a + 2]);
}

void main() {
  for (int v = int(gl_GlobalInvocationID.x); v < vertex_count; v += int(gl_NumWorkGroups.x * gl_WorkGroupSize.x)) {
    vec3 sum = vec3(0.0);
    float longest = 0.0;
    for (int k = fan_start[v]; k < fan_start[v + 1]; k++) {
      int t = 3 * fan[k];
      vec3 corner = point(triangle[t]);
      vec3 twice_area = cross(point(triangle[t + 1]) - corner, point(triangle[t + 2]) - corner);
      sum += twice_area;
      longest = max(longest, length(twice_area));
    }
    // A sum much shorter than its longest term means that opposite faces cancel: then the normal is 0.
    float size = length(sum);
    sum = size > 1e-6 * longest ? sum / size : vec3(0.0);
    normal[3 * v] = sum.x;
    normal[3 * v + 1] = sum.y;
    normal[3 * v + 2] = sum.z;
  }
}
