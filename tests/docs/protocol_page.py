"""Writes ``docs/protocol.schema.json``: the messages of external bots, made of their types.

Run it as ``python -m tests.docs.protocol_page``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from arena.agent.protocol import Answer, Answers, Hello, HelloAnswer, Question

SCHEMA = Path(__file__).parents[2] / "docs" / "protocol.schema.json"
LINES = {"to the bot": (Hello, Question), "from the bot": (HelloAnswer, Answers, Answer)}
TITLE = "A line between the dice-poker arena and an external bot"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of all lines."""
    messages = [message for group in LINES.values() for message in group]
    refs, made = TypeAdapter.json_schemas([(message, "validation", TypeAdapter(message)) for message in messages])
    kinds = [
        {"title": way, "anyOf": [refs[message, "validation"] for message in group]} for way, group in LINES.items()
    ]
    return {"$schema": GenerateJsonSchema.schema_dialect, "title": TITLE, "anyOf": kinds, **made}


if __name__ == "__main__":
    SCHEMA.write_text(json.dumps(schema(), indent=2) + "\n", encoding="utf-8")
