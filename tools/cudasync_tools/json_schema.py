"""Checks JSON against a schema: the keywords that our schemas use, and an error for any other."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
NOTES = {"$schema", "$defs", "title", "description"}


def is_of(value, name):
    return isinstance(value, TYPES[name]) and isinstance(value, bool) == (name == "boolean")


def members(value, schema, root, place):
    """What is wrong with the members of an object."""
    known = schema.get("properties", {})
    yield from (f"{place}: {name} is missing" for name in schema.get("required", ()) if name not in value)
    for name, each in value.items():
        yield from faults(name, schema.get("propertyNames", {}), root, f"{place}: the name {name}")
        other = schema.get("additionalProperties", {})
        if name in known:
            yield from faults(each, known[name], root, f"{place}.{name}")
        elif other is False:
            yield f"{place}: {name} is not in the schema"
        else:
            yield from faults(each, other, root, f"{place}.{name}")


RULES = {
    "const": lambda value, wanted: value == wanted,
    "enum": lambda value, wanted: value in wanted,
    "type": lambda value, wanted: any(is_of(value, name) for name in ([wanted] if isinstance(wanted, str) else wanted)),
    "minimum": lambda value, wanted: not isinstance(value, int) or value >= wanted,
    "maximum": lambda value, wanted: not isinstance(value, int) or value <= wanted,
    "minItems": lambda value, wanted: not isinstance(value, list) or len(value) >= wanted,
    "maxItems": lambda value, wanted: not isinstance(value, list) or len(value) <= wanted,
}
NESTED = {"$ref", "items", "properties", "required", "additionalProperties", "propertyNames"}


def faults(value, schema, root, place="the value"):
    """What is wrong with a value, in words."""
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        yield from faults(value, target, root, place)
    for keyword, wanted in schema.items():
        if keyword in RULES:
            if not RULES[keyword](value, wanted):
                yield f"{place}: {value!r} violates {keyword} {wanted!r}"
        elif keyword not in NESTED | NOTES:
            raise ValueError(f"a keyword that this module does not know: {keyword}")
    if isinstance(value, list) and "items" in schema:
        for index, each in enumerate(value):
            yield from faults(each, schema["items"], root, f"{place}[{index}]")
    if isinstance(value, dict):
        yield from members(value, schema, root, place)
