"""Writes src/entity_search_client/generated from ../openapi.json: the models by datamodel-code-generator, and one
method per operation for both clients. `npm run clients` at the top of the repository runs it.

Usage: python generate.py [FOLDER]
"""

from __future__ import annotations

import json
import keyword
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

Json = dict[str, Any]

here = Path(__file__).parent
default_target = here / "src" / "entity_search_client" / "generated"
# MCP has clients of its own.
left_out = {"mcp"}
header = '"""Written by generate.py from the OpenAPI document: do not edit."""\n\n'
# Constraints that a server may loosen later without breaking a client that reads its answers.
constraints = {
    *("pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("minItems", "maxItems", "propertyNames"),
}


def main(target: Path) -> None:
    document: Json = json.loads((here.parent / "openapi.json").read_text("utf-8"))
    operations = [
        {**operation, "path": path, "method": method}
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if operation["operationId"] not in left_out
    ]
    target.mkdir(parents=True, exist_ok=True)
    (target / "__init__.py").write_text('"""Made from the OpenAPI document."""\n', "utf-8")
    write_models(document["components"]["schemas"], operations, target / "models.py")
    (target / "errors.py").write_text(errors_text(document["components"]["schemas"]), "utf-8")
    (target / "operations.py").write_text(operations_text(operations), "utf-8")
    ruff = [sys.executable, "-m", "ruff", "--config", str(here / "pyproject.toml")]
    subprocess.run([*ruff, "format", "--quiet", str(target)], check=True)


def refs_in(value: Any) -> list[str]:
    """The names of the schemas that a part of the document refers to."""
    if isinstance(value, list):
        return [name for each in value for name in refs_in(each)]
    if not isinstance(value, dict):
        return []
    own = [value["$ref"].rsplit("/", 1)[1]] if isinstance(value.get("$ref"), str) else []
    return own + [name for key, each in value.items() if key != "$ref" for name in refs_in(each)]


def reachable(schemas: Json, start: list[str]) -> set[str]:
    found: set[str] = set()
    todo = [name for name in start if name in schemas]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += [each for each in refs_in(schemas[name]) if each in schemas]
    return found


def content_schemas(part: Json) -> list[Json]:
    return [content["schema"] for content in part.get("content", {}).values()]


def success_of(operation: Json) -> tuple[str, Json]:
    ((media_type, content), *_) = operation["responses"]["200"]["content"].items()
    return media_type, content["schema"]


def statuses_of(operation: Json) -> tuple[int, ...]:
    """200, and the statuses that have the same JSON."""
    _, schema = success_of(operation)
    return tuple(int(status) for status, each in operation["responses"].items() if schema in content_schemas(each))


def write_models(schemas: Json, operations: list[Json], path: Path) -> None:
    sent = reachable(
        schemas,
        refs_in([[each.get("parameters", []), content_schemas(each.get("requestBody", {}))] for each in operations]),
    )
    received = reachable(schemas, [*refs_in([success_of(each)[1] for each in operations]), "Error"])
    kept = {
        name: loosened(schema, opened=name not in sent) for name, schema in schemas.items() if name in sent | received
    }
    reduced = {
        "openapi": "3.1.0",
        "info": {"title": "Entity Search", "version": "v1"},
        "paths": {},
        "components": {"schemas": kept},
    }
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "openapi.json"
        made = Path(folder) / "models.py"
        source.write_text(json.dumps(reduced), "utf-8")
        command = [
            *(sys.executable, "-m", "datamodel_code_generator", "--input", str(source), "--output", str(made)),
            *("--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel"),
            *("--target-python-version", "3.10", "--enum-field-as-literal", "all", "--use-union-operator"),
            *("--use-standard-collections", "--disable-timestamp", "--snake-case-field", "--use-field-description"),
            *("--allow-population-by-field-name", "--extra-fields", "allow", "--use-schema-description"),
            *(
                "--use-type-alias",
                "--use-double-quotes",
                "--formatters",
                "builtin",
                "--custom-file-header",
                header.strip(),
            ),
        ]
        # In a folder of its own, for the generator's form depends on what lies around it.
        subprocess.run(command, check=True, cwd=folder)
        path.write_text(made.read_text("utf-8"), "utf-8")


def loosened(schema: Any, *, opened: bool) -> Any:
    """A schema without what would make a client refuse an answer of a newer server: a value of a list that it does not
    know, a key that is new, a number or text that is longer."""
    if isinstance(schema, list):
        return [loosened(each, opened=opened) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "string" and "enum" in schema and opened:
        texts = {key: schema[key] for key in ("title", "description") if key in schema}
        return {**texts, "anyOf": [{"type": "string", "enum": schema["enum"]}, {"type": "string"}]}
    result: Json = {}
    for key, each in schema.items():
        if key in constraints and not isinstance(each, dict):
            continue
        if key == "propertyNames" or (key == "additionalProperties" and each is False):
            continue
        if key == "format" and each not in ("date", "date-time"):
            continue
        if key == "properties":
            result[key] = {name: loosened(part, opened=opened) for name, part in each.items()}
        else:
            result[key] = loosened(each, opened=opened)
    return result


def snake(name: str) -> str:
    text = re.sub(r"([a-z])(\d*)([A-Z])", r"\1\2_\3", name)
    text = re.sub(r"\W", "_", text).lower()
    return f"{text}_" if keyword.iskeyword(text) else text


def python_type(schema: Json) -> str:
    """The type of a parameter."""
    if "$ref" in schema:
        return f"models.{schema['$ref'].rsplit('/', 1)[1]}"
    if "anyOf" in schema:
        types = [part for each in schema["anyOf"] for part in python_type(each).split(" | ")]
        return " | ".join(dict.fromkeys(types))
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(each) for each in schema['enum'])}]"
    if schema.get("format") in ("date", "date-time"):
        return {"date": "date | str", "date-time": "datetime | str"}[schema["format"]]
    if schema["type"] == "array":
        item = literal_of(schema["items"])
        return f"{item} | Sequence[{item}]"
    return {"string": "str", "integer": "int", "boolean": "bool"}[schema["type"]]


def literal_of(schema: Json) -> str:
    return "str" if "$ref" in schema else python_type(schema)


def errors_text(schemas: Json) -> str:
    codes: dict[str, None] = {}
    for schema in schemas.values():
        properties = schema.get("properties", {})
        if "error" in properties and "code" in properties:
            code = properties["code"]
            codes.update(dict.fromkeys([*code.get("enum", []), *([code["const"]] if "const" in code else [])]))
    names = {code: "".join(part.title() for part in code.removesuffix("_error").split("_")) + "Error" for code in codes}
    classes = "\n\n".join(f'class {name}(ApiError):\n    """`{code}`"""\n' for code, name in names.items())
    listed = ", ".join(f'"{name}"' for name in ["error_types", *names.values()])
    table = "".join(f'"{code}": {name},' for code, name in names.items())
    return (
        f"{header}from ..errors import ApiError\n\n__all__ = [{listed}]\n\n\n{classes}\n\n"
        f"#: The exception of each code of the API.\nerror_types: dict[str, type[ApiError]] = {{{table}}}\n"
    )


class Parameter:
    def __init__(self, schema: Json) -> None:
        self.wire: str = schema["name"]
        self.name = snake(self.wire)
        self.place: str = schema["in"]
        self.required: bool = schema.get("required", False)
        self.type = python_type(schema["schema"])
        self.text: str = schema.get("description", "")


def method_text(operation: Json, *, is_async: bool) -> str:
    # Headers that only caches and payments use are not arguments.
    parameters = [each for each in map(Parameter, operation.get("parameters", [])) if each.place != "header"]
    in_path = [each for each in parameters if each.place == "path"]
    required = [each for each in parameters if each.place == "query" and each.required]
    optional = [each for each in parameters if each.place == "query" and not each.required]
    media_type, schema = success_of(operation)
    is_json = media_type.endswith("json")
    result = f"models.{schema['$ref'].rsplit('/', 1)[1]}" if is_json else "str"
    arguments = [
        "self",
        *(f"{each.name}: {'int | str' if each.name == 'identifier' else each.type}" for each in in_path),
    ]
    body = operation.get("requestBody")
    if body is not None:
        arguments.append(f"request: {python_type(content_schemas(body)[0])} | Mapping[str, object]")
    if required or optional:
        arguments.append("*")
    arguments += [f"{each.name}: {each.type}" for each in required]
    arguments += [f"{each.name}: {each.type} | None = None" for each in optional]
    summary = operation["summary"].rstrip(".") + "."
    description = [f"{each.name}: {each.text}" for each in [*in_path, *required, *optional] if each.text]
    lines = "\n\n".join(textwrap.fill(text, 100, subsequent_indent="    ") for text in [summary, *description])
    doc = textwrap.indent(lines.replace("\\", "\\\\").replace('"""', "'''"), "        ").strip()
    path_values = ", ".join(f'"{each.wire}": {each.name}' for each in in_path)
    query = ", ".join(f'"{each.wire}": {each.name}' for each in [*required, *optional])
    statuses = statuses_of(operation)
    more = "" if statuses == (200,) else f", statuses={statuses}"
    flags = f"secured={bool(operation['security'])}, sold={'402' in operation['responses']}"
    call = (
        f'Call("{operation["operationId"]}", "{operation["method"].upper()}", "{operation["path"]}", {flags}, '
        f"path_values={{{path_values}}}, query={{{query}}}, body={'request' if body is not None else 'None'}{more})"
    )
    run = f"self._run({call}, {result if is_json else 'None'})"
    start, waiting = ("async def", "await ") if is_async else ("def", "")
    return (
        f"    {start} {snake(operation['operationId'])}({', '.join(arguments)}) -> {result}:\n"
        f'        """{doc}\n        """\n        return {waiting}{run}\n'
    )


def search_parameters(operations: list[Json]) -> str:
    (search,) = (each for each in operations if each["operationId"] == "search")
    parameters = [Parameter(each) for each in search["parameters"] if each["in"] == "query"]
    lines = [
        f"    {each.name}: Required[{each.type}]"
        if each.required
        else f"    {each.name}: NotRequired[{each.type} | None]"
        for each in parameters
    ]
    doc = '    """The arguments of `search`."""\n\n'
    return "class SearchParameters(TypedDict, total=False):\n" + doc + "\n".join(lines) + "\n"


def operations_text(operations: list[Json]) -> str:
    imports = (
        "from __future__ import annotations\n\n"
        "from abc import ABC, abstractmethod\nfrom collections.abc import Mapping, Sequence\n"
        "from datetime import date, datetime\nfrom typing import Literal, TypeVar, overload\n\n"
        "from pydantic import BaseModel\nfrom typing_extensions import NotRequired, Required, TypedDict\n\n"
        'from ..call import Call\nfrom . import models\n\nAnswer = TypeVar("Answer", bound=BaseModel)\n\n\n'
    )
    clients = []
    for name, is_async in (("Operations", False), ("AsyncOperations", True)):
        start = "async def" if is_async else "def"
        runs = (
            f"    @overload\n    {start} _run(self, call: Call, model: type[Answer]) -> Answer: ...\n\n"
            f"    @overload\n    {start} _run(self, call: Call, model: None) -> str: ...\n\n"
            f"    @abstractmethod\n"
            f"    {start} _run(self, call: Call, model: type[Answer] | None) -> Answer | str: ...\n\n"
        )
        methods = "\n".join(method_text(each, is_async=is_async) for each in operations)
        clients.append(f'class {name}(ABC):\n    """One method per operation of the API."""\n\n{runs}{methods}')
    return header + imports + search_parameters(operations) + "\n\n" + "\n\n".join(clients)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default_target)
