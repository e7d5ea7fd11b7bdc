import pytest

from bot.masking import mask
from tests.builders_masking import PLANTED


@pytest.mark.parametrize(("kind", "secret", "around"), PLANTED)
def test_a_planted_secret_is_masked_and_the_words_around_it_stay(kind: str, secret: str, around: str) -> None:
    before, after = around.split("{}")

    masked = mask(around.format(secret))

    assert secret not in masked
    assert not any(line in masked for line in secret.split("\n") if len(line) > 20)
    assert "[secret: " in masked
    if before and kind != "slack":
        assert masked.startswith(before.split(":")[0])
    assert masked.endswith(after[-6:])


def test_masking_twice_is_masking_once() -> None:
    text = "\n".join(around.format(secret) for _, secret, around in PLANTED)

    masked = mask(text)

    assert mask(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "the password: field is required",
        "password reset is broken again, token expired",
        "token: we keep JWT",
        "max_tokens=4096 and token=30d",
        "access tokens 15 min, refresh tokens 30 days",
        "the secret is out: we ship on monday",
        "password = getpass.getpass()",
        "DB_PASSWORD=$DB_PASSWORD",
        "api_key = os.environ['API_KEY']",
        "postgres://user:password@localhost/db",
        "see https://medium.com/@ana/why-redis",
        "https://github.com/acme/app/commit/0123456789abcdef0123456789abcdef01234567",
        "bearer of bad news, as usual",
        "Basic understanding of partitioning helps",
        "the api key is stored in the parameter store",
        "risk-assessment-for-the-desk-task-force-of-2026",
        "AC/DC at 9, SKU AC1234",
        "idempotency key: merchant_id + order_id",
        "password: ********",
        "Idempotency-Key: 2b9f4c1e-8d1a-4c55-9f3e-0a1b2c3d4e5f",
        "the key is merchant_id, not order_id",
        "secret_sharing_is_caring_and_we_do_not",
        "partition key is merchant_id",
        "token is validated by auth-proxy2",
        "",
    ],
)
def test_what_people_say_about_secrets_is_not_masked(text: str) -> None:
    assert mask(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "PGPASSWORD=swordfish psql -h db",
        "curl -u admin:swordfish https://ci.acme.dev",
        "deploy --password swordfish --yes",
        "Server=db;User Id=sa;Password=swordfish;",
        "login: ana\npassword: swordfish",
        'secrets.yml: db_password: "swordfish"',
        "api key is swordfish0815xyz",
        "x-api-key: swordfish0815xyz",
        "dbPassword=swordfish",
        "the key is password=swordfish",
        "token: user/pw=swordfish",
    ],
)
def test_passwords_are_masked_as_people_write_them(text: str) -> None:
    masked = mask(text)

    assert "swordfish" not in masked


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("aws_secret_access_key = {}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY"),
        ("AKIAIOSFODNN7" + "EXAMPLE / {}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY"),
        ("here is the key: {}", "9a8b7c6d5e4f3a2b1c0d" + "9e8f7a6b5c4d"),
        ("{}", "123456789:AAE" + "q3Zr7Ty1Pk9Wm2Xv5Bn8Cd4Fg6Hj0Ls3"),
        ("Authorization: Basic {}", "YWRtaW46" + "c3dvcmRmaXNo"),
        ("SLACK_SIGNING_SECRET={}", "8f742231b10e8888" + "abcd99aaabbb85a5"),
        ('"private_key": "{}"', "-----BEGIN PRIVATE KEY-----\\nMIIEvQ" + "IBADANBg\\n-----END PRIVATE KEY-----\\n"),
        ("DefaultEndpointsProtocol=https;AccountKey={};Suffix=x", "aB3" * 28 + "ab=="),
        ("linear {}", "lin_api_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"),
    ],
)
def test_secrets_in_the_forms_that_vendors_document_are_masked(text: str, secret: str) -> None:
    masked = mask(text.format(secret))

    assert secret not in masked
    assert "[secret: " in masked


def test_several_secrets_in_one_message_are_all_masked() -> None:
    text = "password=hunter2abc then AKIA" + "IOSFODNN7QWERTYU and redis://:pa55word@cache"

    masked = mask(text)

    assert masked == "password=[secret: password] then [secret: aws key] and redis://:[secret: password]@cache"
