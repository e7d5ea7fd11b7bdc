"""Whether Claude takes the key and knows the model: for `why doctor`, once, without a token spent."""

from __future__ import annotations

import anthropic

from bot.claude.client import DEFAULT_BASE_URL
from bot.errors import Permanent, Transient

TIMEOUT_S = 10.0
"""Seconds for one look-up."""


def check_model(api_key: str, *, model: str, base_url: str = "") -> str:
    """Ask the API about the model and return the name that people know it by.

    Raises:
        Permanent: the key is refused, or there is no such model; the text says which.
        Transient: Claude can't be reached or is busy.
    """
    client = anthropic.Anthropic(
        api_key=api_key,
        base_url=base_url or DEFAULT_BASE_URL,
        timeout=TIMEOUT_S,
        max_retries=0,
        http_client=anthropic.DefaultHttpxClient(follow_redirects=False),
        open_telemetry=False,
    )
    try:
        return client.models.retrieve(model).display_name
    except anthropic.NotFoundError as error:
        raise Permanent(f"no model {model}: set BACKSTORY_MODEL to one that your account has") from error
    except (anthropic.AuthenticationError, anthropic.PermissionDeniedError) as error:
        raise Permanent("the key is refused: make a new one at console.anthropic.com") from error
    except anthropic.APIStatusError as error:
        raise Transient(f"it answers {error.status_code}: try again later") from error
    except anthropic.AnthropicError as error:
        raise Transient("it could not be reached: check the network and ANTHROPIC_BASE_URL") from error
    finally:
        client.close()
