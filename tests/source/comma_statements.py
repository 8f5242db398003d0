"""Finds statements that the comma operator joins, such as `a = 1, b = 2;`, in sources in C, C++ and CUDA. A reader sees
one statement per line if the sources have none of them. Declarations (`int a = 1, b = 2;`) and the heads of loops may
have commas."""
import re

COMMENT_OR_TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", re.MULTILINE)
LABEL = re.compile(r"\s*(case\b[^:?]*:(?!:)|[A-Za-z_]\w*\s*:(?!:)|else\b|do\b|[A-Z_]*UNROLL\b)")
HEAD = re.compile(r"\s*(if|for|while|switch)\s*(constexpr\s*)?\(")
DECLARATION = re.compile(
    r"(const|static|struct|enum|unsigned|extern|typedef|volatile|constexpr|auto|template|using|__shared__)\b|"
    r"[A-Za-z_][\w:]*(<[^;=()]*>)?(\s+|\s*[*&]+\s*((restrict|const|__restrict__)\s+)?|\s*\(\*)"
    r"[A-Za-z_]\w*\s*[=\[),{:(]")
EFFECT = re.compile(r"[^=!<>]=[^=]|\+\+|--|\)$")  # an assignment, an increment, or a call at the end
OPEN_TEMPLATE = re.compile(r"\w<[\w\s:*]*$")  # the comma after it separates arguments of a template: f<A, B>(x)
# text before a brace that begins a list of values
BEFORE_LIST = re.compile(r"(=|,|\(|\?|:|\breturn)\s*(\([\w\s*]+(\[[^\]]*\])*\)|[A-Za-z_]\w*)?$")


def without_texts(source):
    """Returns the source with blanks in place of comments and directives of the preprocessor, and `_` in texts."""
    def fill(match):
        return re.sub(r"[^\n]", " " if match[0][0] in "/# \t" else "_", match[0])
    return DIRECTIVE.sub(fill, COMMENT_OR_TEXT.sub(fill, source))


def own_start(statement):
    """Returns the index at which a statement begins, after labels and heads such as `if (...)`."""
    at = 0
    while True:
        label, head = LABEL.match(statement, at), HEAD.match(statement, at)
        if head:
            depth, at = 1, head.end()
            while depth and at < len(statement):
                depth += (statement[at] == "(") - (statement[at] == ")")
                at += 1
        elif label:
            at = label.end()
        else:
            return at


def joins(statement, commas):
    """Returns True if commas at the given indices, outside of parentheses, join expressions."""
    begin = own_start(statement)
    ends = [comma for comma in commas if comma >= begin] + [len(statement)]
    parts = [statement[a:b].strip() for a, b in zip([begin] + [end + 1 for end in ends], ends)]
    if len(parts) < 2:
        return False
    if re.match(r"return\b", parts[0]):
        parts = [parts[0][len("return"):]] + parts[1:-1]
    elif DECLARATION.match(parts[0] + ","):
        return False
    return all(EFFECT.search(part) and not OPEN_TEMPLATE.search(part) for part in parts)


def comma_statements(source):
    """Returns the numbers of the lines at which joined statements begin."""
    text, lines = without_texts(source), []
    depth, start, commas, braces = 0, 0, [], []  # braces: for each open brace, True if it begins a list of values
    for at, sign in enumerate(text):
        if sign == "{":
            is_list = depth > 0 or BEFORE_LIST.search(text[start:at].rstrip()) is not None
            braces.append(is_list)
            depth += is_list
        elif sign == "}":
            is_list = bool(braces) and braces.pop()
            depth -= is_list
        elif sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
        elif sign == "," and depth == 0:
            commas.append(at)
        elif sign == ";" and depth == 0 and commas and braces:
            if joins(text[start:at], [comma - start for comma in commas]):
                lines.append(text.count("\n", 0, start + len(text[start:at]) - len(text[start:at].lstrip())) + 1)
        if depth == 0 and (sign == ";" or sign in "{}" and not is_list):
            start, commas = at + 1, []
    return lines
