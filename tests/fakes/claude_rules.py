"""What Claude's API refuses in a request, by itself or in a batch.

A request is held to the SDK's own parameter types (an unknown field is an error), to the rules that the API states
beyond types (roles, prefill, schemas, effort, cache marks), and to its headers.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, get_args

import jsonschema
from anthropic.types import Model
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from pydantic import TypeAdapter, ValidationError

_MAX_OUTPUT_TOKENS = 128_000
_MAX_REQUEST_BYTES = 32 * 1024 * 1024
_MAX_CACHE_MARKS = 4
_NOT_IN_SCHEMAS = frozenset({
    "default", "else", "exclusiveMaximum", "exclusiveMinimum", "if", "maximum", "maxItems", "maxLength",
    "maxProperties", "minimum", "minLength", "minProperties", "multipleOf", "not", "oneOf", "pattern",
    "patternProperties", "prefixItems", "propertyNames", "then", "uniqueItems",
})  # fmt: skip
"""JSON schema words that structured output doesn't take; the SDK's `transform_schema` moves them to the description."""
_WITHOUT_EFFORT = ("claude-haiku-4", "claude-sonnet-4-5")


def problem_of(path: str, headers: Mapping[str, str], raw: bytes, body: object, api_key: str) -> tuple[int, str]:
    """Return the status and the first rule that a request breaks, ("", 200) for none."""
    if path != "/v1/messages":
        return 404, f"POST {path}: only /v1/messages is served"
    if not holds_key(headers, api_key):
        return 401, "neither Authorization: Bearer nor x-api-key holds the key"
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", headers.get("anthropic-version", "")):
        return 400, "anthropic-version is missing"
    if headers.get("content-type") != "application/json":
        return 400, f"content-type {headers.get('content-type')!r} is not application/json"
    if len(raw) > _MAX_REQUEST_BYTES:
        return 413, f"{len(raw)} bytes are more than {_MAX_REQUEST_BYTES}"
    problem = wrong_params(body)
    return (400, problem) if problem else (200, "")


def holds_key(headers: Mapping[str, str], api_key: str) -> bool:
    """Say whether a request carries the key, in either header."""
    return headers.get("authorization") == f"Bearer {api_key}" or headers.get("x-api-key") == api_key


def wrong_params(body: object) -> str:
    """Return the first rule that what is asked breaks, alone or in a batch; "" for none."""
    try:
        with _VALIDATING:
            _drain(_types().validate_python(body, extra="forbid"))
    except ValidationError as error:
        return f"the request is not what the SDK's types say: {error}"[:900]
    assert isinstance(body, dict)
    return next(filter(None, (rule(body) for rule in (_wrong_model, _wrong_messages, _wrong_schema))), "")


_VALIDATING = threading.Lock()
"""One at a time: pydantic's lazily checked iterables share state between threads."""


@cache
def _types() -> TypeAdapter[Any]:
    return TypeAdapter(MessageCreateParamsNonStreaming)


def _drain(value: object) -> None:
    """Read a validated value to its end: pydantic checks the items of an Iterable only as they are taken."""
    if isinstance(value, Mapping):
        value = value.values()
    if isinstance(value, Iterable) and not isinstance(value, str):
        for item in value:
            _drain(item)


def _wrong_model(body: Mapping[str, Any]) -> str:
    model, effort = body["model"], (body.get("output_config") or {}).get("effort")
    if model not in {name for part in get_args(Model) for name in get_args(part)}:
        return f"model {model!r} is not known"
    if not 1 <= body["max_tokens"] <= _MAX_OUTPUT_TOKENS:
        return f"max_tokens {body['max_tokens']} is not in 1..{_MAX_OUTPUT_TOKENS}"
    if effort is not None and model.startswith(_WITHOUT_EFFORT):
        return f"{model} takes no effort"
    if (body.get("thinking") or {}).get("type") == "enabled" and not model.startswith(_WITHOUT_EFFORT):
        return f"{model} takes adaptive thinking only"
    return ""


def _wrong_messages(body: Mapping[str, Any]) -> str:
    messages, system = body["messages"], body.get("system", "")
    if not messages or messages[0]["role"] != "user":
        return "the first message must be the user's"
    if messages[-1]["role"] != "user":
        return "a prefilled answer is not supported"
    if any(not text_of(message["content"]).strip() for message in messages):
        return "a message is empty"
    if isinstance(system, Sequence) and not isinstance(system, str) and any(not block["text"] for block in system):
        return "a system block is empty"
    if json.dumps(body).count('"cache_control"') > _MAX_CACHE_MARKS:
        return f"more than {_MAX_CACHE_MARKS} cache marks"
    return ""


def _wrong_schema(body: Mapping[str, Any]) -> str:
    format_ = (body.get("output_config") or {}).get("format")
    if format_ is None:
        return ""
    return _wrong_schema_text(json.dumps(format_["schema"]))


@cache
def _wrong_schema_text(text: str) -> str:
    """Return what is wrong with a schema; the same few are sent again and again, and each check takes 50 ms."""
    schema = json.loads(text)
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        return f"not a JSON schema: {error.message}"
    return _wrong_node(schema, "$")


def _wrong_node(node: object, path: str) -> str:
    if isinstance(node, list):
        return next(filter(None, (_wrong_node(item, f"{path}[]") for item in node)), "")
    if not isinstance(node, dict):
        return ""
    if node.get("type") == "object" and node.get("additionalProperties") is not False:
        return f"{path}: an object needs additionalProperties false"
    if node.get("minItems", 0) > 1:
        return f"{path}: minItems above 1"
    for key, value in node.items():
        if key in _NOT_IN_SCHEMAS:
            return f"{path}: {key} is not supported in structured output"
        nested = value.values() if key in ("properties", "$defs") else [value]
        for item in nested if key != "enum" else ():
            if problem := _wrong_node(item, f"{path}.{key}"):
                return problem
    return ""


def text_of(content: object) -> str:
    """Return what a message's content says, its blocks joined by blank lines."""
    if isinstance(content, str):
        return content
    assert isinstance(content, list)
    return "\n\n".join(block["text"] for block in content if block["type"] == "text")
