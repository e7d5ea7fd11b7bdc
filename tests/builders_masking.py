"""Planted secrets: made up here from parts, so that no scanner of this repository takes them for real ones."""

from __future__ import annotations

_LETTERS = "Qz7Kp2Xw9Ld4Vb8Nm3Rt6Yc1Hs5Jf0GaUe"


def _body(length: int, start: int = 0) -> str:
    return "".join(_LETTERS[(start + 7 * at) % len(_LETTERS)] for at in range(length))


def _hex(length: int, start: int = 0) -> str:
    return "".join("0123456789abcdef"[(start + 5 * at + at // 16) % 16] for at in range(length))


def _key_block(kind: str) -> str:
    lines = "\n".join(_body(64, start) for start in range(4))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"


_JWT = f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.{_body(43)}"

PLANTED: tuple[tuple[str, str, str], ...] = (
    ("aws", "AKIA" + "IOSFODNN7QWERTYU", "the key is {} for the bucket"),
    ("aws", "ASIA" + "Y34FZKBOKMUTVV7A", "export AWS_ACCESS_KEY_ID={}"),
    ("aws", _body(40), "aws_secret_access_key = {}"),
    ("aws", _body(40, 3), 'AWS_SECRET_ACCESS_KEY="{}"'),
    ("github", "ghp_" + _body(36), "use {} until friday"),
    ("github", "github_pat_" + _body(22) + "_" + _body(59), "token: {}"),
    ("github", "ghs_" + _body(36, 2), "https://x-access-token:{}@github.com/acme/app"),
    ("github", "gho_" + _body(36, 5), "`{}`"),
    ("slack", "xoxb-" + "123456789012-1234567890123-" + _body(24), "bot token {}"),
    ("slack", "xoxp-" + "1234567890-1234567890-1234567890-" + _hex(32), "<@U1> {}"),
    ("slack", "xapp-1-" + "A012BCDEFGH-1234567890123-" + _hex(64), "SLACK_APP_TOKEN={}"),
    ("slack", "https://hooks.slack.com/services/" + "T0123ABCD/B0123ABCD/" + _body(24), "post to {} please"),
    ("anthropic", "sk-ant-api03-" + _body(90) + "-AA", "ANTHROPIC_API_KEY={}"),
    ("anthropic", "sk-ant-admin01-" + _body(90, 4), "found {} in the logs"),
    ("openai", "sk-proj-" + _body(48), "here: {}"),
    ("openai", "sk-" + _body(20) + "T3Blbk" + "FJ" + _body(20, 1), "OPENAI_API_KEY: {}"),
    ("private key", _key_block("RSA "), "this one?\n{}\nthanks"),
    ("private key", _key_block("OPENSSH "), "{}"),
    ("private key", _key_block("EC "), "```{}```"),
    ("private key", _key_block("").rsplit("\n", 1)[0], "cut short {}"),
    ("jwt", _JWT, "curl -H 'Authorization: Bearer {}'"),
    ("jwt", _JWT, "id_token={}&state=1"),
    ("jwt", _JWT + "-x_y", "I get 401 with {}"),
    ("jwt", "eyJraWQiOiJhYmMifQ.eyJpc3MiOiJodHRwczovL2EuYiJ9." + _body(80), "{}"),
    ("address", "hunter" + "2xyz", "postgres://app:{}@db.internal:5432/orders"),
    ("address", "s3cr" + "et!Pw", "redis://:{}@cache:6379/0"),
    ("address", "Tr0ub4" + "dor&amp;3", "mongodb+srv://root:{}@cluster0.abc.mongodb.net"),
    ("address", "correct" + "horse", "amqp://guest:{}@mq/vhost"),
    ("stripe", "sk_live_" + _body(24), "STRIPE={}"),
    ("stripe", "rk_live_" + _body(24, 3), "restricted: {}"),
    ("stripe", "sk_test_" + _body(24, 6), "{} works in test mode"),
    ("stripe", "whsec_" + _body(32), "webhook secret {}"),
    ("google", "AIza" + _body(35), "maps key {}"),
    ("google", "GOCSPX-" + _body(28), "client_secret: {}"),
    ("password", "hunter" + "2hunter", "password: {}"),
    ("password", "Winter2026" + "!", "the password is {}, change it"),
    ("password", _body(32, 8), "Authorization: Bearer {}"),
    ("password", "blue" + "monkey", "DB_PASSWORD={}"),
    ("registry", "npm_" + _body(36), "//registry.npmjs.org/:_authToken={}"),
    ("registry", "pypi-AgEIcHlwaS5vcmc" + _body(90), "twine upload -p {}"),
)
"""Kind, secret and the message around it: 40 of them, of 10 kinds and some."""
