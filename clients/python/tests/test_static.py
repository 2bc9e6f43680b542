"""The package itself: its types, its form, and that its generated part is what the document gives."""

from __future__ import annotations

import filecmp
import importlib.metadata
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from entity_search_client import AsyncClient, Client, exchange

root = Path(__file__).parent.parent
document = root.parent / "openapi.json"
generated = root / "src" / "entity_search_client" / "generated"
# MCP has clients of its own.
left_out = {"mcp"}


def run(*command: str) -> None:
    # A cache would be left in the tree.
    done = subprocess.run([sys.executable, "-m", *command], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_hold(tmp_path: Path) -> None:
    run("mypy", "--cache-dir", str(tmp_path))
    run("mypy", "--cache-dir", str(tmp_path), "--strict", "examples", "generate.py")


def test_form_holds() -> None:
    run("ruff", "check", "--no-cache", ".")
    run("ruff", "format", "--no-cache", "--check", ".")


@pytest.mark.skipif(not document.exists(), reason="outside the repository there is no document to compare with")
def test_generated_part_is_what_the_document_gives(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "generate.py", str(tmp_path)], cwd=root, check=True)
    names = sorted(each.name for each in generated.glob("*.py"))
    assert sorted(os.listdir(tmp_path)) == names
    _, differing, missing = filecmp.cmpfiles(generated, tmp_path, names, shallow=False)
    assert (differing, missing) == ([], []), "run `npm run clients` at the top of the repository"


def test_tells_the_version_of_the_package() -> None:
    assert exchange.version == importlib.metadata.version("entity-search-client")


def public(kind: type) -> dict[str, list[str]]:
    return {
        name: list(inspect.signature(each).parameters)
        for name, each in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


def test_both_clients_have_the_same_methods() -> None:
    assert public(Client) == public(AsyncClient)


@pytest.mark.skipif(not document.exists(), reason="outside the repository there is no document to compare with")
def test_every_operation_has_a_method() -> None:
    paths = json.loads(document.read_text("utf-8"))["paths"].values()
    operations = {each["operationId"] for path in paths for each in path.values()} - left_out
    names = {"".join(f"_{c.lower()}" if c.isupper() else c for c in each) for each in operations}
    by_hand = {"close", "removal_pages", "resume_paid_search", "search_all", "search_pages"}
    assert {each.replace("x402", "_x402").replace("__", "_") for each in names} | by_hand == {
        each.replace("x402", "_x402").replace("__", "_") for each in public(Client)
    }
