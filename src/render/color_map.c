// Colour maps: see color_map.h. The tables are evenly spaced samples of viridis (van der Walt and Smith, 2015, CC0),
// cividis (Nunez, Anderton and Renslow, 2018, CC0), Moreland's coolwarm (2009) and turbo (Mikhailov, 2019, Apache 2.0).
#include "render/color_map.h"

#include <math.h>

static const unsigned MAPS[][COLOR_MAP_POINTS] = {
  { /* viridis */
    0x440154, 0x470d60, 0x48186a, 0x482374, 0x472e7c, 0x453882, 0x424186, 0x3e4a89, 0x3a548c, 0x365d8d, 0x32658e,
    0x2e6d8e, 0x2b758e, 0x287d8e, 0x25848e, 0x228c8d, 0x1f948c, 0x1e9c89, 0x20a386, 0x25ab82, 0x2eb37c, 0x3aba76,
    0x48c16e, 0x58c765, 0x6ccd5a, 0x7fd34e, 0x93d741, 0xa8db34, 0xc0df25, 0xd5e21a, 0xeae51a, 0xfde725 },
  { /* cividis */
    0x00224e, 0x00285b, 0x002e6a, 0x053371, 0x1c396f, 0x293f6e, 0x33446d, 0x3c4a6c, 0x45506c, 0x4d556c, 0x555b6d,
    0x5c616e, 0x646770, 0x6b6d72, 0x727274, 0x787877, 0x807f78, 0x888578, 0x908b78, 0x979177, 0xa09875, 0xa89e73,
    0xb0a571, 0xb9ab6d, 0xc2b369, 0xcbb965, 0xd3c05f, 0xdcc859, 0xe6d051, 0xefd748, 0xf8df3c, 0xfee838 },
  { /* coolwarm */
    0x3b4cc0, 0x445acc, 0x4e68d8, 0x5875e1, 0x6384eb, 0x6e90f2, 0x799cf8, 0x84a7fc, 0x90b2fe, 0x9bbcff, 0xa6c4fe,
    0xb1cbfc, 0xbcd2f7, 0xc6d6f1, 0xcfdaea, 0xd8dce2, 0xe1dad6, 0xe9d5cb, 0xefcfbf, 0xf3c8b2, 0xf6bea4, 0xf7b497,
    0xf7a98b, 0xf59d7e, 0xf18f71, 0xec8165, 0xe67259, 0xdf634e, 0xd55042, 0xcb3e38, 0xc0282f, 0xb40426 },
  { /* turbo */
    0x30123b, 0x392a73, 0x4040a2, 0x4456c7, 0x476ee6, 0x4682f8, 0x4196ff, 0x35abf8, 0x25c0e7, 0x1ad2d2, 0x18e0bd,
    0x22ebaa, 0x3cf58e, 0x59fb73, 0x79fe59, 0x96fe44, 0xaffa37, 0xc3f134, 0xd7e535, 0xe7d739, 0xf5c53a, 0xfcb336,
    0xfe9e2f, 0xfc8725, 0xf66c19, 0xed5510, 0xe2430a, 0xd43305, 0xc12302, 0xac1701, 0x950d01, 0x7a0403 },
};

void color_map(const Style *style, float colors[COLOR_MAP_POINTS][3]) {
  const bool two_sided = style->field == FIELD_PRINCIPAL || style->field == FIELD_J;
  ColorMap map = style->color_map;
  if (map == COLOR_MAP_AUTO)
    map = two_sided && style->color_scale == COLOR_SCALE_LINEAR ? COLOR_MAP_COOLWARM : COLOR_MAP_VIRIDIS;
  for (int k = 0; k < COLOR_MAP_POINTS; k++)
    for (int i = 0; i < 3; i++) colors[k][i] = (float)(MAPS[map - COLOR_MAP_VIRIDIS][k] >> (16 - 8 * i) & 255) / 255;
}

bool color_scale_is_log(const Style *style, const double range[2]) {
  return style->color_scale == COLOR_SCALE_LOG && range[0] > 0;
}

const char *field_title(FieldKind kind, const char **unit) {
  *unit = kind == FIELD_J ? "" : "Pa";
  return kind == FIELD_VON_MISES   ? "von Mises stress"
         : kind == FIELD_PRINCIPAL ? "largest principal stress"
         : kind == FIELD_J         ? "det F"
         : kind == FIELD_PRESSURE  ? "contact pressure"
                                   : "";
}

// Returns digit * 10^exponent. The division gives exactly the double 5e-5, while 5 * pow(10, -5) may not.
static double round_number(int digit, int exponent) {
  return exponent < 0 ? digit / pow(10, -exponent) : digit * pow(10, exponent);
}

double field_round_up(double value) {
  if (!(value > 1e-300)) return 1;  // if all values are 0, any range is acceptable
  if (isinf(value)) return value;
  const int exponent = (int)floor(log10(value));
  const double one = round_number(1, exponent), two = round_number(2, exponent), five = round_number(5, exponent);
  return value <= one ? one : value <= two ? two : value <= five ? five : round_number(10, exponent);
}

// Returns true if the field has values on both sides of a middle value, which is 1 for det F and otherwise 0.
static bool has_middle(FieldKind kind) {
  return kind != FIELD_VON_MISES && kind != FIELD_PRESSURE;
}

// Returns the larger of the distances of `low` and `high` from the middle value, which is 1 for det F and otherwise 0.
// For det F returns at least 1e-4, so that rounding errors of a body at rest have no visible colour.
static double reach_of(FieldKind kind, double low, double high) {
  const double middle = kind == FIELD_J ? 1 : 0;
  return fmax(fmax(fabs(low - middle), fabs(high - middle)), kind == FIELD_J ? 1e-4 : 0);
}

void field_range(FieldKind kind, double low, double high, double range[2]) {
  const double middle = kind == FIELD_J ? 1 : 0, reach = field_round_up(reach_of(kind, low, high));
  range[0] = has_middle(kind) ? middle - reach : 0;
  range[1] = middle + reach;
}

void field_range_exact(FieldKind kind, double low, double high, double range[2]) {
  const double middle = kind == FIELD_J ? 1 : 0, reach = reach_of(kind, low, high);
  range[0] = has_middle(kind) ? middle - reach : low;
  range[1] = has_middle(kind) ? middle + reach : high;
}

void field_range_log(double low, double high, double range[2]) {
  static const double LARGEST = 1e6;  // largest ratio of the high end to the low end: six decades
  range[1] = field_round_up(high);
  const double least = fmax(low, range[1] / LARGEST);
  const int exponent = (int)floor(log10(least) + 1e-9);
  const double one = round_number(1, exponent), two = round_number(2, exponent), five = round_number(5, exponent);
  range[0] = least >= five ? five : least >= two ? two : least >= one ? one : round_number(5, exponent - 1);
  if (!(range[0] < range[1])) range[0] = range[1] / 10;
}
