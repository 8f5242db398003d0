// Parses and evaluates formulas in x, y and z that a user types (formula.h), by the library muParser.
#include "base/formula.h"

#include <ctype.h>
#include <math.h>
#include <muParserDLL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"

// muParser's error codes, which are called ecUNEXPECTED_OPERATOR and so on in muParserDef.h.
enum {
  UNEXPECTED_OPERATOR = 0,
  UNKNOWN_TOKEN = 1,
  UNEXPECTED_END = 2,
  UNEXPECTED_COMMA = 3,
  UNEXPECTED_ARGUMENT = 4,
  UNEXPECTED_VALUE = 5,
  UNEXPECTED_VARIABLE = 6,
  UNEXPECTED_PARENTHESIS = 7,
  MISSING_PARENTHESIS = 11,
  UNEXPECTED_FUNCTION = 12,
  TOO_MANY_ARGUMENTS = 14,
  TOO_FEW_ARGUMENTS = 15,
  CODES
};

enum { OWN = 3 };  // number of variables x, y and z, which precede the caller's words in Formula.at

// The first point x at which the formula's value was NaN, or its magnitude exceeded the bound `largest`.
typedef struct FormulaFault {
  bool found;
  double x[3], value, largest;
} FormulaFault;

static bool is_identifier(const char *word) {
  static const char *const taken[] = { "x", "y", "z", "pi", "_pi", "_e" };
  for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
    if (strcmp(word, taken[k]) == 0) return false;
  if (!isalpha((unsigned char)*word) && *word != '_') return false;
  while (isalnum((unsigned char)*word) || *word == '_') word++;
  return !*word;
}

static bool fail(const char *text, size_t at, const char *name, const char *why, Error *error) {
  return error_set(error, "%s: character %zu of \"%.100s\": %s", name, at + 1, text, why);
}

// Writes the list of words as users type them, such as: inlet, "top side".
static void list_words(const FormulaWords *words, char *list, size_t size) {
  size_t length = 0;
  list[0] = '\0';
  for (int k = 0; words && k < words->count && length < size; k++) {
    const char *quote = is_identifier(words->word[k]) ? "" : "\"";
    length += (size_t)snprintf(list + length, size - length, "%s%s%s%s", k ? ", " : "", quote, words->word[k], quote);
  }
  if (length >= size) memcpy(list + size - 4, "...", 4);
}

// Returns true if the text begins with a number that is too large for a double.
static bool is_too_large(const char *text) {
  char *after;
  const double number = number_read(text, &after);
  return after > text && isinf(number);
}

// Sets the error for a formula that muParser refuses. Its text is the sentence in `sentences` for muParser's error code
// or, if there is none, muParser's own text. Positions of characters are counted from 1.
static bool report(const Formula *f, const char *text, const char *name, const FormulaWords *words, Error *error) {
  static const char *const places[] = { " found at position", " at position", " at expression position" };
  static const char *const sentences[CODES] = {
    [UNEXPECTED_OPERATOR] = "expected a value before this operator",
    [UNEXPECTED_END] = "the formula ends where a value is expected",
    [UNEXPECTED_COMMA] = "this comma is not between arguments of a function",
    [UNEXPECTED_ARGUMENT] = "expected an operator before this argument",
    [UNEXPECTED_VALUE] = "expected an operator, such as *, before this number",
    [UNEXPECTED_VARIABLE] = "expected an operator, such as *, before this name",
    [UNEXPECTED_PARENTHESIS] = "unmatched parenthesis, or missing operator before it",
    [MISSING_PARENTHESIS] = "a closing parenthesis is missing",
    [UNEXPECTED_FUNCTION] = "expected an operator, such as *, before this function",
    [TOO_MANY_ARGUMENTS] = "too many arguments for this function",
    [TOO_FEW_ARGUMENTS] = "too few arguments for this function",
  };
  char why[700];
  const int code = mupGetErrorCode(f->parser);
  const int position = mupGetErrorPos(f->parser);
  size_t at = position < 0 ? 0 : (size_t)position;
  if (at > strlen(text)) at = strlen(text);
  if (code == UNKNOWN_TOKEN && is_too_large(text + at))
    return fail(text, at, name, "this number is beyond the range of double, 1.8e308", error);
  if (code == UNKNOWN_TOKEN) {
    char list[500];
    list_words(words, list, sizeof list);
    snprintf(why, sizeof why,
             "expected a number, x, y, z, pi, %s%s%s%s%sor a function and its \"(\": sin cos tan exp log "
             "sqrt abs min max ...",
             list[0] ? "one of " : "", list[0] ? words->what : "", list[0] ? " (" : "", list, list[0] ? "), " : "");
    return fail(text, at, name, why, error);
  }
  if (code >= 0 && code < CODES && sentences[code]) return fail(text, at, name, sentences[code], error);
  snprintf(why, sizeof why, "%s", mupGetErrorMsg(f->parser));
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    char *place = strstr(why, places[k]);
    if (place) *place = '\0';
  }
  why[0] = (char)tolower((unsigned char)why[0]);
  if (why[0] && why[strlen(why) - 1] == '.') why[strlen(why) - 1] = '\0';
  return fail(text, at, name, why, error);
}

// Refuses muParser's operator =, which would change a variable. `shown` is the formula as the user typed it.
static bool refuse_assignments(const char *text, const char *shown, const char *name, Error *error) {
  for (const char *c = text; (c = strchr(c, '=')); c++) {
    if (c[1] == '=')
      c++;
    else if (c == text || !strchr("<>!", c[-1]))
      return fail(shown, (size_t)(c - text), name, "assignment is not allowed; use == to compare", error);
  }
  return true;
}

static void note_nothing(muParserHandle_t parser) {
  (void)parser;  // nothing to do: after each call of muParser, mupError returns its error
}

// Replaces words in quotes by identifiers of equal length, so that other characters keep their positions. The
// identifier of word number k begins with _ and two characters that encode k; the rest is filled with _. For example,
// word 0 in quotes, "top side", becomes _00_______.
static bool take_quoted(Formula *f, char *text, const char *name, const FormulaWords *words, Error *error) {
  static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  enum { BASE = sizeof digits - 1 };
  for (char *quote = text; (quote = strchr(quote, '"'));) {
    char *end = strchr(quote + 1, '"'), list[500];
    const size_t at = (size_t)(quote - text);
    if (!end) return fail(text, at, name, "the closing quote is missing", error);
    int k = 0;
    const size_t length = (size_t)(end - quote - 1);
    while (words && k < words->count &&
           (strlen(words->word[k]) != length || memcmp(words->word[k], quote + 1, length) != 0))
      k++;
    if (!words || k == words->count || k >= BASE * BASE || length == 0) {
      list_words(words, list, sizeof list);
      return error_set(error, "%s: %.*s is not one of %s%s%s", name, (int)length + 2, quote,
                       words ? words->what : "the known names", list[0] ? ": " : ", which has none", list);
    }
    memset(quote, '_', length + 2);
    quote[1] = digits[k / BASE];
    quote[2] = digits[k % BASE];
    const char behind = end[1];
    end[1] = '\0';
    mupDefineVar(f->parser, quote, &f->at[OWN + k]);
    end[1] = behind;
    quote = end + 1;
  }
  return true;
}

// Stores in f->word the indices of the caller's words that the formula contains. Sets f->of_place if it contains x, y
// or z.
static bool note_words(Formula *f, Error *error) {
  const int count = mupGetExprVarNum(f->parser);
  if (!(f->word = array_new(count, sizeof *f->word, "a formula", error))) return false;
  for (int k = 0; k < count; k++) {
    const muChar_t *name;
    muFloat_t *variable = NULL;
    mupGetExprVar(f->parser, (unsigned)k, &name, &variable);
    if (variable < f->at + OWN) f->of_place = true;
    if (variable >= f->at + OWN) f->word[f->word_count++] = (int)(variable - f->at) - OWN;
  }
  return true;
}

bool formula_read(Formula *f, const char *text, const char *name, const FormulaWords *words, Error *error) {
  const int count = words ? words->count : 0;
  if (text[strspn(text, " \t\r\n")] == '\0') {
    *f = (Formula){ 0 };
    return error_set(error, "%s: is blank, expected a formula in x, y and z, such as 1 + x*y", name);
  }
  char *copy = array_new((int64_t)strlen(text) + 1, 1, "a formula", error);
  *f = (Formula){ .at = copy ? array_new(OWN + count, sizeof *f->at, "a formula", error) : NULL };
  f->fault = f->at ? array_new(1, sizeof *f->fault, "a formula", error) : NULL;
  if (!f->fault) goto failed;
  if (!(f->parser = mupCreate(muBASETYPE_FLOAT))) {
    error_set(error, "out of memory: cannot create a formula; close other programs");
    goto failed;
  }
  mupSetErrorHandler(f->parser, note_nothing);
  mupDefineConst(f->parser, "pi", acos(-1));
  mupDefineVar(f->parser, "x", &f->at[0]);
  mupDefineVar(f->parser, "y", &f->at[1]);
  mupDefineVar(f->parser, "z", &f->at[2]);
  for (int k = 0; k < count; k++)
    if (is_identifier(words->word[k])) mupDefineVar(f->parser, words->word[k], &f->at[OWN + k]);
  strcpy(copy, text);
  if (!take_quoted(f, copy, name, words, error) || !refuse_assignments(copy, text, name, error)) goto failed;
  mupSetExpr(f->parser, copy);
  int values = 1;
  mupEvalMulti(f->parser, &values);
  if (mupError(f->parser)) {
    report(f, text, name, words, error);
    goto failed;
  }
  if (values != 1) {
    error_set(error, "%s: \"%.100s\" gives %d values, expected one", name, text, values);
    goto failed;
  }
  if (!note_words(f, error)) goto failed;
  free(copy);
  return true;
failed:
  free(copy);
  formula_destroy(f);
  return false;
}

void formula_destroy(Formula *f) {
  if (f->parser) mupRelease(f->parser);
  free(f->at);
  free(f->word);
  free(f->fault);
  *f = (Formula){ 0 };
}

void formula_set(const Formula *f, int word, double value) {
  f->at[OWN + word] = value;
}

double formula_value(const Formula *f, const double x[3]) {
  memcpy(f->at, x, OWN * sizeof *x);
  return mupEval(f->parser);
}

double formula_checked(const Formula *f, const double x[3], double largest) {
  const double value = formula_value(f, x);
  FormulaFault *fault = f->fault;
  if (fabs(value) <= largest || fault->found)
    // a NaN makes the comparison false, so it is recorded below as a fault
    return value;
  *fault = (FormulaFault){ true, { x[0], x[1], x[2] }, value, largest };
  return value;
}

bool formula_check(const Formula *f, const char *name, Error *error) {
  const FormulaFault *fault = f->fault;
  return !fault || !fault->found ||
         error_set(error, "%s: the formula gives %g at (%g, %g, %g), expected a number from %g to %g", name,
                   fault->value, fault->x[0], fault->x[1], fault->x[2], -fault->largest, fault->largest);
}
