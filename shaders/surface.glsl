// Shades the body's surface in the colour of the body or the field, and highlights the patch under the mouse.
#include "frame.glsl"
#include "shade.glsl"
#include "shadow.glsl"
#include "cut.glsl"
in vec3 position;
in vec3 normal;
in vec3 rest;
in float value;
in float touch;
flat in vec4 paint;
flat in float rough;
flat in float opaque;
layout(location = 0) out vec4 color;

const vec3 ALBEDO = vec3(0.76, 0.37, 0.25);  // linear RGB, if the body has no own colour
const vec3 ALBEDO_INSIDE = vec3(0.30, 0.09, 0.07);  // as ALBEDO, for the inner side of the surface

const vec3 CONTACT_LINE = vec3(0.01, 0.02, 0.05);  // linear RGB

const vec3 ALBEDO_OPENED = vec3(0.80, 0.58, 0.40);  // as ALBEDO, for faces that a cut has opened

// Returns the linear RGB colour of the present triangle in pictures without a field.
vec3 own_color() {
  bool opened = is_opened(gl_PrimitiveID) && paint.w < 2.0;
  if (paint.w > 0.0) return opened ? mix(paint.rgb, vec3(1.0), 0.25) : gl_FrontFacing ? paint.rgb : 0.3 * paint.rgb;
  return !gl_FrontFacing ? ALBEDO_INSIDE : opened ? ALBEDO_OPENED : ALBEDO;
}

vec4 skin() {
  vec3 n = normalize(normal);
  bool field = color_map.z > 0.0 && paint.w < 2.0;
  vec3 albedo = field ? field_color(value) : own_color();
  if (!gl_FrontFacing) n = -n;
  float visible = key_visible(position + 0.006 * color_map.w * n, n);
  vec3 lit = field ? shade_plain(albedo, position, n, visible, 0.03) : shade(albedo, position, n, visible, rough);
  float near = hover.w > 0.0 ? length(rest - hover.xyz) / hover.w : 2.0;
  lit = mix(lit, vec3(1.0, 0.93, 0.72), 0.30 * (1.0 - smoothstep(0.55, 1.0, near)));
  lit = mix(lit, vec3(1.0, 0.97, 0.85), 0.45 * (1.0 - smoothstep(0.0, 0.06, abs(near - 0.97))));
  // contact lines are halfway between nodes with and without contact forces, and have the same width everywhere
  float from_line = abs(touch - 0.5) / max(fwidth(touch), 1e-4);
  lit = mix(CONTACT_LINE, lit, smoothstep(0.7 * viewport.z, 1.3 * viewport.z, from_line));
  // a transparent surface is drawn more opaque if it is seen edge-on, which shows the outline of the body
  float edge_on = 1.0 - abs(dot(n, normalize(eye.xyz - position)));
  return vec4(lit, opaque + (1.0 - opaque) * edge_on * edge_on);
}
