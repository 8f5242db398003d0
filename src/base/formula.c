// Formulas through muParser: see formula.h.
#include "base/formula.h"

#include <ctype.h>
#include <math.h>
#include <muParserDLL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { UNKNOWN_TOKEN = 1 };  // muParser's ecUNASSIGNABLE_TOKEN

static bool fail(const char *text, size_t at, const char *name, const char *why, Error *error) {
  return error_set(error, "%s: character %zu of \"%.100s\": %s", name, at + 1, text, why);
}

// what muParser says, without its count of characters, which is from 0
static bool tell(const Formula *f, const char *text, const char *name, Error *error) {
  static const char *const places[] = { " found at position", " at position", " at expression position" };
  char why[240];
  const int position = mupGetErrorPos(f->parser);
  size_t at = position < 0 ? 0 : (size_t)position;
  if (at > strlen(text)) at = strlen(text);
  if (mupGetErrorCode(f->parser) == UNKNOWN_TOKEN)
    return fail(text, at, name,
                "expected a number, x, y, z, pi, or a function and its \"(\": sin cos tan exp log sqrt abs min max ...",
                error);
  snprintf(why, sizeof why, "%s", mupGetErrorMsg(f->parser));
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    char *place = strstr(why, places[k]);
    if (place) *place = '\0';
  }
  why[0] = (char)tolower((unsigned char)why[0]);
  return fail(text, at, name, why, error);
}

// muParser's = would change a variable for good
static bool refuse_assignments(const char *text, const char *name, Error *error) {
  for (const char *c = text; (c = strchr(c, '=')); c++) {
    if (c[1] == '=')
      c++;
    else if (c == text || !strchr("<>!", c[-1]))
      return fail(text, (size_t)(c - text), name, "nothing can be assigned; == compares", error);
  }
  return true;
}

static void note_nothing(muParserHandle_t parser) {
  (void)parser;  // errors are asked for
}

bool formula_read(Formula *f, const char *text, const char *name, Error *error) {
  *f = (Formula){ .at = array_new(3, sizeof *f->at, "a formula", error) };
  if (!f->at || !refuse_assignments(text, name, error)) goto failed;
  if (!(f->parser = mupCreate(muBASETYPE_FLOAT))) {
    error_set(error, "out of memory: a formula");
    goto failed;
  }
  mupSetErrorHandler(f->parser, note_nothing);
  mupDefineConst(f->parser, "pi", acos(-1));
  mupDefineVar(f->parser, "x", &f->at[0]);
  mupDefineVar(f->parser, "y", &f->at[1]);
  mupDefineVar(f->parser, "z", &f->at[2]);
  mupSetExpr(f->parser, text);
  int values = 1;
  mupEvalMulti(f->parser, &values);
  if (mupError(f->parser)) {
    tell(f, text, name, error);
    goto failed;
  }
  if (values == 1) return true;
  error_set(error, "%s: \"%.100s\" is %d values, expected one", name, text, values);
failed:
  formula_destroy(f);
  return false;
}

void formula_destroy(Formula *f) {
  if (f->parser) mupRelease(f->parser);
  free(f->at);
  *f = (Formula){ 0 };
}

double formula_value(const Formula *f, const double x[3]) {
  memcpy(f->at, x, 3 * sizeof *x);
  return mupEval(f->parser);
}
