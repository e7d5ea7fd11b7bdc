"""manifest.yml against the rules of Slack's published manifest schema, and against what the code needs."""

import re
from pathlib import Path
from typing import Any

import jsonschema
import yaml

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "manifest.yml").read_text(encoding="utf-8")
MANIFEST: dict[str, Any] = yaml.safe_load(TEXT)


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": list(required)}


def _text(low: int, high: int, pattern: str = "") -> dict[str, Any]:
    return {"type": "string", "minLength": low, "maxLength": high, "pattern": pattern}


def _list(items: dict[str, Any], low: int, high: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": low, "maxItems": high, "uniqueItems": True}


BOOLEAN = {"type": "boolean"}
# The limits are those of version 1 of the schema that Slack publishes (slackapi/manifest-schema).
SCHEMA = _object(
    {
        "display_information": _object(
            {
                "name": _text(1, 35),
                "description": _text(1, 140),
                "background_color": _text(4, 7, "^#[0-9a-fA-F]{3}([0-9a-fA-F]{3})?$"),
                "long_description": _text(175, 4000),
            },
            "name",
        ),
        "features": _object(
            {
                "app_home": _object(
                    {
                        "home_tab_enabled": BOOLEAN,
                        "messages_tab_enabled": BOOLEAN,
                        "messages_tab_read_only_enabled": BOOLEAN,
                    }
                ),
                "bot_user": _object({"display_name": _text(1, 80), "always_online": BOOLEAN}, "display_name"),
                "shortcuts": _list(
                    _object(
                        {
                            "name": _text(1, 24),
                            "type": {"enum": ["message", "global"]},
                            "callback_id": _text(1, 255),
                            "description": _text(1, 150),
                        },
                        "name",
                        "type",
                        "callback_id",
                        "description",
                    ),
                    1,
                    10,
                ),
                "slash_commands": _list(
                    _object(
                        {
                            "command": _text(2, 32, "^/"),
                            "url": _text(1, 3000, "^https?://"),
                            "description": _text(1, 2000),
                            "usage_hint": _text(1, 1000),
                            "should_escape": BOOLEAN,
                        },
                        "command",
                        "description",
                    ),
                    1,
                    50,
                ),
            }
        ),
        "oauth_config": _object(
            {"scopes": _object({"bot": _list(_text(1, 50), 1, 255), "bot_optional": _list(_text(1, 50), 1, 255)})}
        ),
        "settings": _object(
            {
                "event_subscriptions": _object({"bot_events": _list(_text(1, 50), 1, 100)}),
                "interactivity": _object({"is_enabled": BOOLEAN}, "is_enabled"),
                "org_deploy_enabled": BOOLEAN,
                "socket_mode_enabled": BOOLEAN,
                "token_rotation_enabled": BOOLEAN,
            }
        ),
    },
    "display_information",
)

SCOPE_OF_EVENT = {
    "app_home_opened": None,
    "app_mention": "app_mentions:read",
    "app_uninstalled": None,
    "channel_archive": "channels:read",
    "channel_deleted": "channels:read",
    "channel_id_changed": "channels:read",
    "channel_left": "channels:read",
    "channel_rename": "channels:read",
    "channel_shared": "channels:read",
    "channel_unarchive": "channels:read",
    "channel_unshared": "channels:read",
    "group_archive": "groups:read",
    "group_deleted": "groups:read",
    "group_left": "groups:read",
    "group_rename": "groups:read",
    "group_unarchive": "groups:read",
    "member_joined_channel": "channels:read",
    "member_left_channel": "channels:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
    "team_join": "users:read",
    "tokens_revoked": None,
    "user_change": "users:read",
}


def scopes() -> set[str]:
    return set(MANIFEST["oauth_config"]["scopes"]["bot"])


def test_the_manifest_keeps_slacks_schema() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)

    jsonschema.validate(MANIFEST, SCHEMA)


def test_the_schema_would_refuse_a_shortcut_name_that_slack_refuses() -> None:
    manifest = yaml.safe_load(TEXT)
    manifest["features"]["shortcuts"][0]["name"] = "x" * 25

    errors = list(jsonschema.Draft7Validator(SCHEMA).iter_errors(manifest))

    assert [error.validator for error in errors] == ["maxLength"]


def test_each_scope_has_its_reason_beside_it() -> None:
    lines = {match[1]: match[2] for match in re.finditer(r"^ +- ([a-z_]+(?::[a-z]+)?) # (.{10,})$", TEXT, re.MULTILINE)}

    unexplained = scopes() - lines.keys()

    assert not unexplained


def test_each_subscribed_event_has_the_scope_that_it_needs() -> None:
    events = MANIFEST["settings"]["event_subscriptions"]["bot_events"]

    missing = {event for event in events if SCOPE_OF_EVENT[event] not in {None, *scopes()}}

    assert not missing
