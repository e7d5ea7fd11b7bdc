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
    ],
)
def test_passwords_are_masked_as_people_write_them(text: str) -> None:
    masked = mask(text)

    assert "swordfish" not in masked


def test_several_secrets_in_one_message_are_all_masked() -> None:
    text = "password=hunter2abc then AKIA" + "IOSFODNN7QWERTYU and redis://:pa55word@cache"

    masked = mask(text)

    assert masked == "password=[secret: password] then [secret: aws key] and redis://:[secret: password]@cache"
