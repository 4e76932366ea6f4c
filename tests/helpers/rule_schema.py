"""Check rule files against the schema that the package prints."""

from __future__ import annotations

import re

TYPES = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}


def fits(value, schema):
    """Whether a value fits a schema: as much of the standard as ours uses."""
    if "anyOf" in schema and not any(fits(value, one) for one in schema["anyOf"]):
        return False
    if "not" in schema and fits(value, schema["not"]):
        return False
    for key, wants in schema.get("dependencies", {}).items():
        if key in value and not ({*wants} <= {*value} if isinstance(wants, list) else fits(value, wants)):
            return False
    if "type" not in schema:
        return {*schema.get("required", ())} <= {*value} if isinstance(value, dict) else True
    if type(value) is not TYPES[schema["type"]] or value not in schema.get("enum", [value]):
        return False
    if schema["type"] == "integer":
        return schema.get("minimum", value) <= value <= schema.get("maximum", value)
    if schema["type"] == "array":
        return len(value) >= schema["minItems"] and all(fits(one, schema["items"]) for one in value)
    if schema["type"] == "string":
        return re.search(schema.get("pattern", ""), value) is not None
    if schema["type"] == "boolean":
        return True
    known, needed = schema.get("properties", {}), {*schema.get("required", ())}
    if "additionalProperties" not in schema:
        return needed <= set(value)
    held = {key: known.get(key) or schema["additionalProperties"] for key in value}
    return needed <= set(value) and all(held[key] and fits(one, held[key]) for key, one in value.items())
