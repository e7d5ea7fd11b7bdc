"""How people name a pull request."""

import pytest

from bot.fetching import pull_request_named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("acme/shop#41", "acme/shop#41"),
        ("41", "acme/here#41"),
        ("#41", "acme/here#41"),
        ("https://github.com/acme/shop/pull/41/files", "acme/shop#41"),
        (" https://git.example/acme/shop/pull/41#discussion ", "acme/shop#41"),
        ("../shop#41", ""),
        ("acme/..#41", ""),
        ("acme/shop/issues/41", ""),
        ("forty-one", ""),
    ],
)
def test_a_pull_request_is_known_by_its_number_its_name_and_its_page(text: str, named: str) -> None:
    assert pull_request_named(text, "acme/here") == named


def test_a_bare_number_names_none_where_the_repository_is_not_known() -> None:
    assert pull_request_named("41", "") == ""
