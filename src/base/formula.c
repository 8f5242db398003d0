// Formulas: see formula.h. By recursive descent:
//   comparison = sum [("<" | ">") sum]      sum = product {("+" | "-") product}    product = sign {("*" | "/") sign}
//   sign = ["+" | "-"] sign | power         power = atom ["^" sign]
//   atom = number | name | name "(" comparison ["," comparison] ")" | "(" comparison ")"
#include "base/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum Operation {
  NUMBER,
  X,
  Y,
  Z,
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  POWER,
  NEGATE,
  LESS,
  MORE,
  SIN,
  COS,
  TAN,
  EXP,
  LOG,
  SQRT,
  ABS,
  MIN,
  MAX
} Operation;

static const struct {
  const char *name;
  Operation operation;
  int arguments;
} functions[] = { { "sin", SIN, 1 },   { "cos", COS, 1 }, { "tan", TAN, 1 }, { "exp", EXP, 1 }, { "log", LOG, 1 },
                  { "sqrt", SQRT, 1 }, { "abs", ABS, 1 }, { "min", MIN, 2 }, { "max", MAX, 2 } };
enum { FUNCTIONS = sizeof functions / sizeof *functions, DEPTH_MAX = 64 };

typedef struct Reader {
  Formula *formula;
  const char *text, *at, *name;
  int depth;
  Error *error;
} Reader;

static bool fail(Reader *r, const char *expected) {
  return error_set(r->error, "%s: character %d of \"%.100s\": expected %s", r->name, (int)(r->at - r->text) + 1,
                   r->text, expected);
}

static bool put(Reader *r, Operation operation, double number) {
  Formula *f = r->formula;
  if (f->count == FORMULA_STEPS) return error_set(r->error, "%s: the formula is too long", r->name);
  f->step[f->count].operation = operation, f->step[f->count].number = number;
  f->count++;
  return true;
}

// whether this character is next, past blanks; if so it is taken
static bool takes(Reader *r, char c) {
  while (isspace((unsigned char)*r->at)) r->at++;
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static bool comparison(Reader *r);
static bool sign(Reader *r);

static bool named(Reader *r) {
  const char *begin = r->at;
  while (isalnum((unsigned char)*r->at) || *r->at == '_') r->at++;
  const size_t length = (size_t)(r->at - begin);
  if (length == 1 && *begin >= 'x' && *begin <= 'z') return put(r, X + (Operation)(*begin - 'x'), 0);
  if (length == 2 && memcmp(begin, "pi", 2) == 0) return put(r, NUMBER, acos(-1));
  for (int k = 0; k < FUNCTIONS; k++) {
    if (strlen(functions[k].name) != length || memcmp(functions[k].name, begin, length) != 0) continue;
    if (!takes(r, '(')) return fail(r, "\"(\"");
    for (int a = 0; a < functions[k].arguments; a++)
      if ((a > 0 && !takes(r, ',') && !fail(r, "\",\" and another argument")) || !comparison(r)) return false;
    return (takes(r, ')') || fail(r, "\")\"")) && put(r, functions[k].operation, 0);
  }
  r->at = begin;
  return fail(r, "x, y, z, pi, or one of sin cos tan exp log sqrt abs min max");
}

static bool atom(Reader *r) {
  if (takes(r, '(')) return comparison(r) && (takes(r, ')') || fail(r, "\")\""));
  if (isdigit((unsigned char)*r->at) || *r->at == '.') {
    char *end;
    const double number = strtod(r->at, &end);
    if (end == r->at) return fail(r, "a number");
    r->at = end;
    return put(r, NUMBER, number);
  }
  return isalpha((unsigned char)*r->at) ? named(r) : fail(r, "a number, a name or \"(\"");
}

static bool power(Reader *r) {
  return atom(r) && (!takes(r, '^') || (sign(r) && put(r, POWER, 0)));
}

static bool sign(Reader *r) {
  if (r->depth == DEPTH_MAX) return error_set(r->error, "%s: the formula is nested too deeply", r->name);
  r->depth++;
  const bool minus = takes(r, '-'), plus = !minus && takes(r, '+');
  const bool ok = minus || plus ? sign(r) && (plus || put(r, NEGATE, 0)) : power(r);
  r->depth--;
  return ok;
}

static bool product(Reader *r) {
  if (!sign(r)) return false;
  for (;;) {
    const bool times = takes(r, '*'), over = !times && takes(r, '/');
    if (!times && !over) return true;
    if (!sign(r) || !put(r, times ? MULTIPLY : DIVIDE, 0)) return false;
  }
}

static bool sum(Reader *r) {
  if (!product(r)) return false;
  for (;;) {
    const bool plus = takes(r, '+'), minus = !plus && takes(r, '-');
    if (!plus && !minus) return true;
    if (!product(r) || !put(r, plus ? ADD : SUBTRACT, 0)) return false;
  }
}

static bool comparison(Reader *r) {
  if (!sum(r)) return false;
  const bool less = takes(r, '<'), more = !less && takes(r, '>');
  return (!less && !more) || (sum(r) && put(r, less ? LESS : MORE, 0));
}

bool formula_read(Formula *formula, const char *text, const char *name, Error *error) {
  Reader r = { .formula = formula, .text = text, .at = text, .name = name, .error = error };
  *formula = (Formula){ 0 };
  if (!comparison(&r)) return false;
  takes(&r, '\0');
  return r.at > text + strlen(text) || fail(&r, "an operator or the end");
}

double formula_value(const Formula *formula, const double x[3]) {
  double stack[FORMULA_STEPS];
  int top = -1;
  for (int k = 0; k < formula->count; k++) {
    const Operation op = (Operation)formula->step[k].operation;
    if (op <= Z) {
      stack[++top] = op == NUMBER ? formula->step[k].number : x[op - X];
      continue;
    }
    const bool two = (op >= ADD && op <= POWER) || op == LESS || op == MORE || op >= MIN;
    const double b = stack[top];
    if (two) top--;
    double *a = &stack[top];
    switch (op) {
      case ADD:
        *a += b;
        break;
      case SUBTRACT:
        *a -= b;
        break;
      case MULTIPLY:
        *a *= b;
        break;
      case DIVIDE:
        *a /= b;
        break;
      case POWER:
        *a = pow(*a, b);
        break;
      case NEGATE:
        *a = -b;
        break;
      case LESS:
        *a = *a < b;
        break;
      case MORE:
        *a = *a > b;
        break;
      case SIN:
        *a = sin(b);
        break;
      case COS:
        *a = cos(b);
        break;
      case TAN:
        *a = tan(b);
        break;
      case EXP:
        *a = exp(b);
        break;
      case LOG:
        *a = log(b);
        break;
      case SQRT:
        *a = sqrt(b);
        break;
      case ABS:
        *a = fabs(b);
        break;
      case MIN:
        *a = fmin(*a, b);
        break;
      case MAX:
        *a = fmax(*a, b);
        break;
      default:
        break;
    }
  }
  return top == 0 ? stack[0] : NAN;
}
