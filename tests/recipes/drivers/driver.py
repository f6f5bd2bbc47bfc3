"""Asks the recipe in Python that is named: for each line of standard input, `<now> <pass in hexadecimal>`, prints 1 or 0."""

import importlib.util
import sys

spec = importlib.util.spec_from_file_location("recipe", sys.argv[1])
recipe = importlib.util.module_from_spec(spec)
spec.loader.exec_module(recipe)
for line in sys.stdin:
    now, _, hexadecimal = line.rstrip("\n").partition(" ")
    claims = recipe.verify(bytes.fromhex(hexadecimal).decode(), int(now))
    print(1 if claims and isinstance(claims["jti"], str) else 0)
