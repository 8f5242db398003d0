// Colours: see color_map.h. Points of viridis (Smith and van der Walt, 2015) and of Moreland's diverging map (2009).
#include "render/color_map.h"

#include <math.h>

static const float SEQUENTIAL[COLOR_MAP_POINTS][3] = {
  { 0.267f, 0.005f, 0.329f }, { 0.275f, 0.195f, 0.496f }, { 0.213f, 0.359f, 0.552f }, { 0.153f, 0.498f, 0.558f },
  { 0.122f, 0.632f, 0.531f }, { 0.290f, 0.758f, 0.428f }, { 0.622f, 0.854f, 0.226f }, { 0.993f, 0.906f, 0.144f },
};
static const float DIVERGING[COLOR_MAP_POINTS][3] = {
  { 0.230f, 0.299f, 0.754f }, { 0.410f, 0.547f, 0.945f }, { 0.603f, 0.731f, 1.000f }, { 0.800f, 0.852f, 0.920f },
  { 0.925f, 0.825f, 0.760f }, { 0.966f, 0.651f, 0.531f }, { 0.870f, 0.404f, 0.333f }, { 0.706f, 0.016f, 0.150f },
};

const float (*color_map(FieldKind kind))[3] {
  return kind == FIELD_PRINCIPAL || kind == FIELD_J ? DIVERGING : SEQUENTIAL;
}

const char *field_title(FieldKind kind, const char **unit) {
  *unit = kind == FIELD_J ? "" : "Pa";
  return kind == FIELD_VON_MISES   ? "von Mises stress"
         : kind == FIELD_PRINCIPAL ? "largest principal stress"
         : kind == FIELD_J         ? "det F"
                                   : "";
}

// the next of 1, 2, 5 times a power of ten
static double round_up(double value) {
  if (!(value > 1e-300)) return 1e-300;
  const double decade = pow(10, floor(log10(value))), part = value / decade;
  return decade * (part <= 1.0001 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

void field_range(FieldKind kind, double low, double high, double range[2]) {
  const double middle = kind == FIELD_J ? 1 : 0;
  // at rest the field is rounding errors, which shall show no colours
  const double reach = round_up(fmax(fmax(fabs(low - middle), fabs(high - middle)), kind == FIELD_J ? 1e-4 : 0));
  range[0] = kind == FIELD_VON_MISES ? 0 : middle - reach;
  range[1] = middle + reach;
}
