"""Where a credential of another system may go."""

from datetime import UTC, datetime

import pytest

from bot.errors import SettingsError
from bot.fetching import Api


def api(base: str) -> Api:
    return Api(base, headers={}, pause=lambda _s: None, now=lambda: datetime(2026, 5, 2, tzinfo=UTC))


@pytest.mark.parametrize("base", ["http://jira.example.org", "acme.atlassian.net", "ftp://x", "https://u:p@x.org"])
def test_a_credential_goes_over_https_to_an_address_without_a_user(base: str) -> None:
    with pytest.raises(SettingsError) as refused:
        api(base)

    assert "u:p" not in str(refused.value)


@pytest.mark.parametrize("base", ["https://acme.atlassian.net", "http://127.0.0.1:1", "http://localhost:1"])
def test_https_and_this_machine_are_taken(base: str) -> None:
    api(base).close()
