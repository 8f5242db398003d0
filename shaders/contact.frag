// contact.frag: computes which fraction of the sky's light the body hides from each point of the floor. The body's
// underside is drawn into a height map, whose texels act as small horizontal faces. The shader sums the fractions that
// the faces near the point hide. A face of area a at height h and horizontal distance d from the point hides the
// fraction h^2 a / (pi (h^2 + d^2)^2).
#version 450 core
#include "frame.glsl"
layout(binding = 2) uniform sampler2D underside;  // height above the floor / depth_range; 1: no face
layout(location = 0) uniform float depth_range;   // depth range of the map, in texel edges
layout(location = 0) out float taken;  // hidden fraction, 0 to 1

const int REACH = 6;  // texels, largest distance along x and y of faces that are summed

void main() {
  ivec2 here = ivec2(gl_FragCoord.xy), size = textureSize(underside, 0);
  float sum = 0.0;
  for (int i = -REACH; i <= REACH; i++)
    for (int j = -REACH; j <= REACH; j++) {
      ivec2 at = here + ivec2(i, j);
      if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, size))) continue;
      float depth = texelFetch(underside, at, 0).r;
      // Lengths are in texel edges. h is at least 0.5642 = 1 / sqrt(pi), so that a face that touches the floor hides
      // exactly all light of its texel.
      float h = max(depth_range * depth, 0.5642), d2 = float(i * i + j * j), r2 = h * h + d2;
      sum += depth < 1.0 ? h * h / (3.14159265 * r2 * r2) : 0.0;
    }
  taken = min(sum, 1.0);
}
