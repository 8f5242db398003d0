// Reads many lines of one structure, such as a list of nodes, from a text file on several cores.
#pragma once
#include "mesh/format/text.h"

/// A function that reads line number k of a list, counted from 0, and stores the result under the index k. The position
/// of `line` is the beginning of the line.
typedef bool (*TextLine)(const void *context, int k, Text *line, Error *error);

/// Reads the next `count` lines by calls of `read`, one for each line, on all cores and in any order. Then advances
/// `text` to the end of the last line. Returns false if a call fails or does not read a whole line, or if there are
/// fewer lines. Also returns false if several threads would not help: for few lines, or on a single core. If it returns
/// false, the position is unchanged and no error is set, because the first invalid line is not known.
bool text_lines(Text *text, int count, TextLine read, const void *context);

/// Reads lines as text_lines does. If text_lines returns false, reads the lines one after the other instead, and sets
/// the error of the first invalid line. `what` describes the expected content of a line in messages.
bool text_each_line(Text *text, int count, const char *what, TextLine read, const void *context, Error *error);
