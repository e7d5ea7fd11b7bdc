"""Which files a glob claims."""

from __future__ import annotations

import itertools

import pytest

from store.core.paths import MOST_GLOBS, beginnings, claim_rule, glob_of, globs_of, located, may_be_path


def claims(value: str, path: str) -> bool:
    return any(glob.claims(located(path)) for glob in globs_of(value))


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("services/payment/**", "services/payment/retry.py"),
        ("services/payment/**", "services/payment/deep/er/retry.py"),
        ("services/payment/**", "services/payment"),
        ("services/payment", "services/payment/retry.py"),
        ("services/payment/", "services/payment/retry.py"),
        ("services/*/", "services/payment/deep/retry.py"),
        ("services/payment/retry.py", "services/payment/retry.py"),
        ("/services/payment/**", "./services//payment/retry.py"),
        ("./services/payment/**", "/services/payment/retry.py"),
        ("services\\payment\\**", "services/payment/retry.py"),
        ("services/payment/**", "services\\payment\\retry.py"),
        ("Services/Payment/**", "services/payment/Retry.py"),
        ("services/payment/**", "services/billing/../payment/retry.py"),
        ("caf\u00e9/**", "cafe\u0301/menu.md"),
        ("**/retry.py", "retry.py"),
        ("**/retry.py", "services/payment/retry.py"),
        ("services/**/test_*.py", "services/payment/tests/test_retry.py"),
        ("services/**/**/retry.py", "services/retry.py"),
        ("**", "anything/at/all"),
        ("src/*.{ts,tsx}", "src/form.tsx"),
        ("{services,libs}/pay*/**", "libs/payment/retry.py"),
        ("src/{a,{b,c}}/**", "src/c/x"),
        ("report?.csv", "report1.csv"),
        ("docs/**, services/payment/**", "services/payment/retry.py"),
        ("docs/**\nservices/payment/**", "services/payment/retry.py"),
        ("app/[id]/(shop)/page.tsx", "app/[id]/(shop)/page.tsx"),
        ("my files/**", "my files/a b.txt"),
        ("*", "Makefile"),
    ],
)
def test_a_path_is_claimed(value: str, path: str) -> None:
    assert claims(value, path)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("services/payment/**", "services/payments/retry.py"),
        ("services/payment/**", "other/services/payment/retry.py"),
        ("services/*", "services/payment/retry.py"),
        ("*.py", "services/payment/retry.py"),
        ("services/*.py", "services/retry.pyc"),
        ("report?.csv", "report12.csv"),
        ("report?.csv", "report/.csv"),
        ("services/payment/retry.py", "services/payment/retry"),
        ("src/*.{ts,tsx}", "src/form.js"),
        ("app/[id]/page.tsx", "app/i/page.tsx"),
        ("", "services/payment/retry.py"),
        (" , ,/", "services/payment/retry.py"),
        ("services/payment/**", ""),
    ],
)
def test_a_path_is_not_claimed(value: str, path: str) -> None:
    assert not claims(value, path)


def test_the_more_specific_of_two_globs_is_told_name_by_name_from_the_root() -> None:
    ordered = [
        "services/payment/retry.py",
        "services/payment/retr?.py",
        "services/payment/*.py",
        "services/payment/**/retry.py",
        "services/payment/**",
        "services/pay*/**",
        "services/*/**",
        "services/**",
        "*/payment/**",
        "**/payment/**",
        "**/*.py",
        "**",
    ]

    globs = [globs_of(each)[0] for each in ordered]

    assert all(glob.claims("services/payment/retry.py") for glob in globs)
    assert sorted(globs, key=lambda glob: glob.specificity, reverse=True) == globs


def test_every_path_that_a_glob_claims_begins_with_its_prefix() -> None:
    values = ("services/payment/**", "services/pay*/x", "**/x", "a", "*", "a/b/?")
    paths = ("services/payment/x", "services/pay/x", "x", "a", "a/b/c", "services/payment")

    claimed = [(g, path) for value in values for g in globs_of(value) for path in paths if g.claims(path)]

    assert len(claimed) > 6
    assert all(glob.prefix in beginnings(path) for glob, path in claimed)


def test_a_glob_is_read_back_from_its_one_spelling() -> None:
    for value in ("/Services\\Payment/", "**/x", "a/{b,c}/*.py"):
        assert all(glob_of(glob.text) == glob for glob in globs_of(value))


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("services/payment/**", ""),
        ("", "names no path"),
        ("/", "'/' names no path"),
        ("a/**, !a/b/**", "'!a/b/**' leaves files out; a claim names what it claims"),
        ("{a,b}" * 9, f"more than {MOST_GLOBS} globs"),
        ("a" * 10_001, "longer than 10,000 characters"),
    ],
)
def test_a_value_that_claims_nothing_says_which_rule_it_breaks(value: str, rule: str) -> None:
    assert claim_rule(value) == rule


def test_hostile_globs_are_read_and_compared_without_going_back_and_forth_for_ever() -> None:
    hostile = ["{,}" * 60, "{" * 9_000, "{" + "," * 9_000, "*a" * 120 + "b", "**/" * 60 + "x", "*" * 9_000]
    path = located("/".join(["a" * 250] * 30))

    read = list(itertools.chain.from_iterable(map(globs_of, hostile)))
    found = [glob.claims(path) for glob in read]

    assert len(read) <= len(hostile) * MOST_GLOBS
    assert not any(found)


def test_a_name_with_a_kind_or_of_one_word_is_no_path() -> None:
    texts = ["services/payment", ".\\retry", "setup.py", "C:\\shop\\a", "service:a/b", "https://x.y", "Makefile", " "]

    assert [may_be_path(text) for text in texts] == [True, True, True, True, False, False, False, False]
