"""Read from the text of a test whether it asserts something, and whether each run does.

A test asserts *for sure* when each run of it reaches an assertion: outside every `if` without an
asserting `else`, outside every loop that may have nothing to go through, and not after a silent
`return`.
"""

from __future__ import annotations

import ast

ASSERTING = (
    "raises",
    "warns",
    "fail",
    "check",
)  # calls of these names assert, and assert_*, check_*
PASSED_ON = ("zip", "enumerate", "sorted", "list", "tuple", "set", "reversed", "product", "dict")
VIEWS = ("items", "values", "keys")


def functions_of(tree):
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {node.name: node for node in found}


def called(node):
    return ast.unparse(node.func).split(".")[-1]


def asserts(node, functions, seen=()):
    """Whether a function asserts something, itself or through others of its file."""
    for part in ast.walk(node):
        if isinstance(part, ast.Assert):
            return True
        if isinstance(part, ast.Call):
            name = called(part)
            if name in ASSERTING or name.startswith(("assert_", "check_")):
                return True
            other = functions.get(name)
            if other is not None and name not in seen and asserts(other, functions, (*seen, name)):
                return True
    return False


class Sure:
    """Whether functions of a file assert something in every run."""

    def __init__(self, tree):
        self.functions = functions_of(tree)
        self.constants = assignments(tree.body)
        self.imported = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }

    def function(self, node, seen=()):
        names = self.constants | assignments(node.body)
        return self.block(node.body, names, (*seen, node.name))

    def block(self, statements, names, seen):
        """Whether a block always asserts; what follows a silent end of some runs does not count."""
        for statement in statements:
            if self.statement(statement, names, seen):
                return True
            if any(
                ends_early(part) and not self.block(part, names, seen) for part in parts(statement)
            ):
                return False
        return False

    def statement(self, node, names, seen):  # noqa: PLR0911 - one case a kind of node
        match node:
            case ast.Assert():
                return True
            case ast.FunctionDef() | ast.ClassDef():
                return False
            case ast.If():
                both = (node.body, node.orelse)
                return all(self.block(part, names, seen) for part in both)
            case ast.For():
                return filled(node.iter, names, self.imported) and self.block(
                    node.body, names, seen
                )
            case ast.While():
                return False
            case ast.Try():
                tried = self.block([*node.body, *node.orelse], names, seen)
                return tried and all(self.block(part, names, seen) for part in parts(node))
            case ast.With():
                items = [item.context_expr for item in node.items]
                return any(self.calls(item, seen) for item in items) or self.block(
                    node.body, names, seen
                )
            case _:
                return self.calls(node, seen)

    def calls(self, node, seen):
        """Whether an expression calls something that asserts."""
        for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
            name = called(call)
            other = self.functions.get(name)
            if other is not None:
                if name not in seen and self.function(other, seen):
                    return True
            elif name in ASSERTING or name.startswith(("assert_", "check_")):
                return True
        return False


def parts(statement):
    """Return the branches of a statement, of which some runs take one."""
    match statement:
        case ast.If():
            return [statement.body, statement.orelse]
        case ast.Try():
            return [handler.body for handler in statement.handlers]
        case _:
            return []


def ends_early(statements):
    """Whether statements may end the function, or the turn of a loop, without a failure."""
    ends = (ast.Return, ast.Continue, ast.Break)
    return any(isinstance(part, ends) for each in statements for part in ast.walk(each))


def assignments(statements):
    """Return what names of a block stand for; names that are assigned twice stand for nothing."""
    found, twice = {}, set()
    for node in statements:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target, value in pairs(targets, node.value):
                twice |= {target} & set(found)
                found[target] = value
    return {name: value for name, value in found.items() if name not in twice}


def pairs(targets, value):
    """Return the names that an assignment sets, with their values."""
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id, value
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, its in zip(target.elts, value.elts, strict=False):
                yield from pairs([one], its)


def filled(node, names, imported=()):  # noqa: C901, PLR0911, PLR0912 - one case a kind of node
    """Whether a loop over an expression has at least one turn, as far as its text tells."""

    def each(*parts):
        return all(filled(part, names, imported) for part in parts)

    match node:
        case ast.Constant():
            return bool(node.value)
        case ast.List() | ast.Tuple() | ast.Set():
            return any(not isinstance(part, ast.Starred) or each(part.value) for part in node.elts)
        case ast.Dict():
            return bool(node.keys)
        case ast.Name() if node.id in names:
            value = names[node.id]
            return filled(value, {k: v for k, v in names.items() if k != node.id}, imported)
        case ast.Name():
            return node.id.isupper() and node.id in imported
        case ast.Attribute():
            return node.attr.isupper()
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return all(not part.ifs and each(part.iter) for part in node.generators)
        case ast.BinOp(op=ast.Add()):
            return each(node.left) or each(node.right)
        case ast.BinOp(op=ast.Mult()):
            return each(node.left, node.right)
        case ast.IfExp():
            return each(node.body, node.orelse)
        case ast.Call() if called(node) in ("range", "draw_joints"):
            return bool(range(*numbers(node.args)))
        case ast.Call() if called(node) == "zip" and node.keywords:  # strict: all are as long
            return any(each(part) for part in node.args)
        case ast.Call() if called(node) in PASSED_ON:
            return bool(node.args) and each(*node.args)
        case ast.Call(func=ast.Attribute()) if node.func.attr in VIEWS:
            return each(node.func.value)
        case ast.Call(func=ast.Attribute()) if node.func.attr in ("split", "splitlines"):
            return each(node.func.value)
        case _:
            return False


def numbers(arguments):
    """Return the whole numbers of a call of `range`; an empty range where they are not literals.

    A number plus a literal is taken for the literal: sizes are not negative.
    """
    if len(arguments) == 1 and isinstance(arguments[0], ast.BinOp):
        arguments = [arguments[0].right]
    try:
        return [int(ast.literal_eval(argument)) for argument in arguments]
    except ValueError:
        return [0]
