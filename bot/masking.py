"""Takes secrets out of text before anything is stored, logged or sent: `[secret: aws key]` stands in their place.

The rules are those of detect-secrets as far as they hold outside source code, and those that it lacks: newer
tokens, whole private key blocks, passwords in addresses, and what people write as `password: ...`. Masking twice is
masking once. Each rule names letters that its secrets can't do without, so that usual text costs microseconds,
and no rule's time grows with the square of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module


@dataclass(frozen=True, slots=True)
class _Rule:
    """One kind of secret: its pattern, which group of it is the secret, and letters that must occur (lower case)."""

    name: str
    pattern: re.Pattern[str]
    hints: tuple[str, ...]
    group: int | str = 0
    is_secret: Callable[[re.Match[str]], bool] | None = None


_KEPT: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("aws", "AWSKeyDetector", "aws key", ("akia", "asia", "a3t", "abia", "acca")),
    ("azure_storage_key", "AzureStorageKeyDetector", "azure key", ("accountkey=",)),
    ("discord", "DiscordBotTokenDetector", "discord token", (".",)),
    ("github_token", "GitHubTokenDetector", "github token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    ("gitlab_token", "GitLabTokenDetector", "gitlab token", ("glpat", "gldt", "glft", "glsoat", "glrt", "gr1348941")),
    ("gitlab_token", "GitLabTokenDetector", "gitlab token", ("glcbt", "glimt", "glptt", "glagent", "gloas")),
    ("mailchimp", "MailchimpDetector", "mailchimp key", ("-us",)),
    ("openai", "OpenAIDetector", "openai key", ("t3blbkfj",)),
    ("pypi_token", "PypiTokenDetector", "pypi token", ("pypi-age",)),
    ("sendgrid", "SendGridDetector", "sendgrid key", ("sg.",)),
    ("slack", "SlackDetector", "slack token", ("xox", "hooks.slack.com")),
    ("square_oauth", "SquareOAuthDetector", "square secret", ("sq0csp-",)),
    ("stripe", "StripeDetector", "stripe key", ("k_live_",)),
    ("telegram_token", "TelegramBotTokenDetector", "telegram token", (":aa",)),
    ("twilio", "TwilioKeyDetector", "twilio key", ("ac", "sk")),
)
"""Module and class of detect-secrets, the name shown, and the hints. Left out: its rules for whole words of
source code (keywords, entropy, Artifactory, Cloudant, IBM), which mask what people say, and the one for npm,
whose time grows with the square of the text."""

_WORD_BEFORE = r"(?<![A-Za-z0-9])"

_TOKENS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("anthropic key", r"sk-ant-[\w-]{16,}", ("sk-ant-",)),
    ("openai key", r"sk-(?:proj|svcacct|admin|none)-[\w-]{16,}|sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{32,}", ("sk-",)),
    ("aws key", r"(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA)[0-9A-Z]{12,}", ("akia", "asia", "aroa", "aida", "agpa", "anpa")),
    ("github token", r"github_pat_\w{22,}|gh[pousr]_[A-Za-z0-9]{30,}", ("github_pat_", "ghp_", "gho_", "ghu_", "ghs_")),
    ("slack token", r"xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-\d-[\w-]{16,}", ("xox", "xapp-")),
    (
        "slack webhook",
        r"https://hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/-]{8,}",
        ("hooks.slack",),
    ),
    ("stripe key", r"[rs]k_(?:live|test)_\w{16,}|whsec_[\w+/=]{20,}", ("k_live_", "k_test_", "whsec_")),
    ("google key", r"AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}", ("aiza", "gocspx-", "ya29.")),
    ("npm token", r"npm_[A-Za-z0-9]{30,}|(?<=_authToken=)[\w-]{16,}", ("npm_", "_authtoken")),
    ("pypi token", r"pypi-[\w-]{40,}", ("pypi-",)),
    ("hugging face token", r"hf_[A-Za-z0-9]{30,}", ("hf_",)),
    ("vault token", r"hv[sbr]\.[\w-]{20,}", ("hvs.", "hvb.", "hvr.")),
    ("digitalocean token", r"do[opr]_v1_[a-f0-9]{32,}", ("_v1_",)),
    ("shopify token", r"shp(?:at|ca|pa|ss|ua)_[A-Fa-f0-9]{32}", ("shp",)),
    ("atlassian token", r"AT(?:ATT3|CTT3|BB)[\w=+/-]{24,}", ("atatt3", "atctt3", "atbb")),
    ("linear key", r"lin_(?:api|oauth)_\w{30,}", ("lin_",)),
    ("databricks token", r"dapi[a-f0-9]{32}", ("dapi",)),
    ("sendgrid key", r"SG\.[\w-]{16,}\.[\w-]{32,}", ("sg.",)),
    ("docker token", r"dckr_(?:pat|oat)_[\w-]{20,}", ("dckr_",)),
    ("new relic key", r"NRAK-[A-Z0-9]{20,}", ("nrak-",)),
    ("grafana token", r"glsa_\w{30,}|glc_[\w+/=]{30,}", ("glsa_", "glc_")),
    ("firebase key", r"AAAA[\w-]{7}:APA91b[\w-]{60,}", (":apa91b",)),
    ("age key", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}", ("age-secret-key",)),
    (
        "token",
        r"(?:sntry[su]_|ntn_|figd_|gsk_|r8_|pplx-|xai-|sbp_|pscale_\w{2,8}_|pul-|PMAK-|rubygems_|nfp_|lsv2_|fo1_|phx_"
        r"|secret_|key-)(?=[A-Za-z_-]*\d)[\w-]{20,}",
        (
            "sntry",
            "ntn_",
            "figd_",
            "gsk_",
            "r8_",
            "pplx-",
            "xai-",
            "sbp_",
            "pscale_",
            "pul-",
            "pmak-",
            "rubygems_",
            "nfp_",
            "lsv2_",
            "fo1_",
            "phx_",
            "secret_",
            "key-",
        ),
    ),
    ("json web token", r"eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?", ("eyj",)),
)

_SHORTEST_TOKEN = 15
"""Signs in a row of the shortest that `_TOKENS` names; of detect-secrets' rules only Slack's takes a shorter one."""
_RUN = re.compile(rf"[\w+/=.:~\\-]{{{_SHORTEST_TOKEN}}}")
_PLACED = re.compile(r"\[secret: [a-z ]+\]")
_AWS_SECRET = re.compile(r"(?<![\w/+=])[A-Za-z0-9/+]{40}(?![\w/+=])")
_DIGIT = re.compile(r"\d")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-.*")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{0,40}-----|\Z)"
    r"|PuTTY-User-Key-File-\d.*?(?:Private-MAC: ?\w*|\Z)",
    re.DOTALL,
)
_IN_ADDRESS = re.compile(r"(?<=://)[^\s:/@<>\"'|`]{0,128}:([^\s/<>\"'|`]{1,256})@(?=[\w\[])")
_BEARER = re.compile(r"(?i)\b(?:bearer|basic|authorization:\s{0,3}token)\s{1,3}([\w.~+/=-]{12,})")
_KEY = r"""(?ix)
    (?=[acekmpst]) (?: (?<![A-Za-z0-9]) | (?<=\bpg) | (?<=[a-z0-9])(?-i:(?=[A-Z])) )
    (?P<key> (?P<plain> key)
      | (?P<strong> passw(?:or)?d | passphrase | passwd | pwd | pass | pw ) | secret | token | credentials?
      | (?:api|access|auth|account|service|secret|private|encryption|signing|master)[ _-]?key
    ) (?:[_-][a-z0-9]{1,16}){0,2} (?: ["'`]\]? )?
    (?P<sep> \s{0,3}(?::=|=>|==|=)\s{0,3} | \s{0,2}:\s{0,3}
      | \s{1,2}(?:is|was|to)(?:\ (?:now|still|set\ to))?:?\s{1,2} | \s{1,2} )"""
_QUOTED = re.compile(_KEY + r"""["'`“] (?P<value> [^"'`”\n]{4,256} ) ["'`”]""")
_BARE = re.compile(_KEY + r"""(?P<value> [^\s"'`,;<>\[\]|”“]{3,255}[^\s"'`,;<>\[\]|”“.:!?)] )""")
_USER_FLAG = re.compile(r"(?:(?<=\s-u)|(?<=--user))[\s=]{1,3}[\"']?[^\s:\"']{1,64}:([^\s\"'$]{3,256})")
_PLACEHOLDER = re.compile(
    r"(?i)[*x•.…_-]{3,}|.*(?:example|placeholder|changeme|change-me|redacted|your[_-]|dummy).*|\$.*|%.*%|\{.*|<.*|"
    r"pass(?:word|wd)?|pwd?|user(?:name)?|secret|token|string|none|null|true|false|undefined|required|optional|env"
)
_CODE = re.compile(r"[\w.]+\(|[A-Za-z_]+(?:\.[A-Za-z_]\w*)+$|[./~@]|\w+://|[A-Z_]{2,}$")
_SPECIAL = frozenset("!@#$%^&*+=?~")
_MEASURE = re.compile(r"(?i)\d+(?:[.,:]\d+)*[a-z%]{0,10}(?:[/-]\w{1,8})?")


def mask(text: str) -> str:
    """Return the text with each secret replaced by `[secret: KIND]`; the same text where there is none.

    The first text that may need detect-secrets' rules loads them (some 0.1 s); a usual message costs microseconds
    and one of 40,000 characters stays under 0.1 s.
    """
    if not text:
        return text
    lowered = _PLACED.sub("", text.lower())
    for rules in _rules_for(text, lowered):
        for rule in rules:
            for hint in rule.hints:
                if hint in lowered:
                    text = _masked(rule, text)
                    break
    return text


def _rules_for(text: str, lowered: str) -> Iterator[Sequence[_Rule]]:
    """Yield the rules that a text can hold something for: most messages have no word as long as a token is."""
    yield _block_rules()
    longest = max(map(len, text.split()), default=0)  # four times as fast as looking for a run at once
    if (longest >= _SHORTEST_TOKEN and _RUN.search(text)) or "xox" in lowered:
        yield _own_rules()
        if _may_hold_kept(lowered):
            yield _kept_rules()
    yield _worded_rules()


def _masked(rule: _Rule, text: str) -> str:
    """Return the text without a rule's secrets; where a find is none, the search goes on inside it."""
    parts, done, at = [], 0, 0
    while match := rule.pattern.search(text, at):
        if rule.is_secret is not None and not rule.is_secret(match):
            at = match.start() + 1
            continue
        start, end = match.span(rule.group)
        parts += [text[done:start], f"[secret: {rule.name}]"]
        done, at = end, max(end, match.start() + 1)
    return "".join([*parts, text[done:]])


def _may_hold_kept(lowered: str) -> bool:
    return any(hint in lowered for _, _, _, hints in _KEPT for hint in hints)


@cache
def _block_rules() -> Sequence[_Rule]:
    return (_Rule("private key", _PRIVATE_KEY, ("private key", "putty-user-key")),)


@cache
def _own_rules() -> Sequence[_Rule]:
    return (
        _Rule("aws key", _AWS_SECRET, ("aws", "akia", "asia", "secret", "key"), 0, lambda match: _is_random(match[0])),
        *(_Rule(name, re.compile(f"{_WORD_BEFORE}(?:{pattern})"), hints) for name, pattern, hints in _TOKENS),
    )


@cache
def _kept_rules() -> Sequence[_Rule]:
    rules = []
    for module, detector, name, hints in _KEPT:
        for pattern in getattr(import_module(f"detect_secrets.plugins.{module}"), detector).denylist:
            whole = re.compile(f"{_WORD_BEFORE}(?:{pattern.pattern})(?![A-Za-z0-9])", pattern.flags)
            rules.append(_Rule(name, whole, hints))
    return tuple(rules)


@cache
def _worded_rules() -> Sequence[_Rule]:
    keys = ("pass", "pw", "secret", "token", "credential", "key")
    return (
        _Rule("password", _IN_ADDRESS, ("://",), 1, lambda match: not _PLACEHOLDER.fullmatch(match[1])),
        _Rule("password", _USER_FLAG, ("-u", "--user"), 1, lambda match: not _PLACEHOLDER.fullmatch(match[1])),
        _Rule("credential", _BEARER, ("bearer", "basic", "authorization"), 1, lambda match: _is_mixed(match[1], 12)),
        _Rule("password", _QUOTED, keys, "value", _is_assigned),
        _Rule("password", _BARE, keys, "value", _is_assigned),
    )


def _is_assigned(match: re.Match[str]) -> bool:
    """Say whether what stands after `password=`, `token:` or "the secret is" is one, not prose, code or a measure."""
    value, separator = match["value"], match["sep"]
    if match["plain"] and not (_DIGIT.search(value) and _is_mixed(value, 24) and separator.strip()):
        return False  # most things called a key are none; the digit is looked for first because that is fast
    if match["plain"] and _UUID.fullmatch(value):
        return False
    if (
        (_PLACEHOLDER.fullmatch(value) and not _is_random(value))
        or _CODE.match(value)
        or _MEASURE.fullmatch(value)
        or " " in value
    ):
        return False
    strong, assigned = match["strong"], "=" in separator
    if not separator.strip():
        return _is_mixed(value, 16) or (match.string[: match.start()].endswith("--") and bool(strong))
    if not strong:
        return _is_mixed(value, 8 if assigned else 12)
    if assigned or match.re is _QUOTED:
        return True
    alone = (
        len(strong) > len("pass") and ":" in separator and match.string[match.end() :].partition("\n")[0].strip() == ""
    )
    return _is_mixed(value, 6) or (len(value) >= 8 and any(char in _SPECIAL for char in value)) or alone


def _is_random(value: str) -> bool:
    """Say whether a value has small letters, capitals and digits, and is as long as keys are."""
    kinds = (str.islower, str.isupper, str.isdigit)
    return len(value) >= 30 and all(any(kind(char) for char in value) for kind in kinds)


def _is_mixed(value: str, least: int) -> bool:
    """Say whether a value looks made by a machine: long enough, with digits among letters or capitals inside."""
    letters = any(char.isalpha() for char in value)
    digits = any(char.isdigit() for char in value)
    inner = any(char.isupper() for char in value[1:]) and any(char.islower() for char in value)
    return len(value) >= least and letters and (digits or (inner and len(value) >= 2 * least))
