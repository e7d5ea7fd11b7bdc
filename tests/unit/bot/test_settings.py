from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.settings import Settings

CWD = Path("/somewhere/else")


def test_nothing_set_gives_the_documented_defaults() -> None:
    settings = Settings.from_env({}, cwd=CWD)

    assert settings.home == Path("~/.backstory").expanduser()
    assert (settings.model, settings.port, settings.question_days) == ("claude-haiku-5-5", 3000, 90)
    assert (settings.keep_days, settings.follow_up_days) == (0, 14)
    assert settings.capture_emoji == {"bookmark"}


def test_an_unknown_setting_is_refused_with_the_nearest_known_name() -> None:
    with pytest.raises(SettingsError, match=r"BACKSTORY_HOEM: no such setting; the nearest is BACKSTORY_HOME"):
        Settings.from_env({"BACKSTORY_HOEM": "/srv/x"}, cwd=CWD)


def test_secrets_are_not_in_the_repr() -> None:
    names = ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "ANTHROPIC_API_KEY")

    settings = Settings.from_env({name: f"planted-{name}" for name in names}, cwd=CWD)

    assert "planted" not in repr(settings)
    assert settings.slack_bot_token == "planted-SLACK_BOT_TOKEN"


@pytest.mark.parametrize("text", ["0x50", "-1", "65536", "eighty", "3000.5", "²", "9" * 5000])
def test_a_port_that_is_none_is_refused_by_name(text: str) -> None:
    with pytest.raises(SettingsError, match="PORT"):
        Settings.from_env({"PORT": text}, cwd=CWD)


def test_lists_are_split_at_commas_and_marks_taken_off() -> None:
    environ = {"BACKSTORY_CAPTURE_EMOJI": ":bookmark:, pushpin", "BACKSTORY_BLOCKED_CHANNELS": "#exec,C0123"}

    settings = Settings.from_env(environ, cwd=CWD)

    assert settings.capture_emoji == {"bookmark", "pushpin"}
    assert settings.blocked_channels == {"exec", "C0123"}


def test_an_empty_value_counts_as_not_set() -> None:
    settings = Settings.from_env({"PORT": "", "BACKSTORY_HOME": "", "BACKSTORY_MODEL": ""}, cwd=CWD)

    assert (settings.port, settings.model) == (3000, "claude-haiku-5-5")


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("hi")

    with pytest.raises(SettingsError, match="notes is a file, not a folder"):
        Settings.from_env({"BACKSTORY_HOME": str(tmp_path / "notes")}, cwd=tmp_path)


def test_home_is_the_nearest_dot_backstory_upward(tmp_path: Path) -> None:
    (tmp_path / ".backstory").mkdir()
    below = tmp_path / "src" / "deep"
    below.mkdir(parents=True)

    settings = Settings.from_env({}, cwd=below)

    assert settings.home == tmp_path / ".backstory"


@pytest.mark.parametrize("name", ["SLACK_API_URL", "ANTHROPIC_BASE_URL"])
@pytest.mark.parametrize("text", ["nonsense", "slack.com/api/", "file:///etc/passwd", "https://", "http:// x"])
def test_an_address_that_is_none_is_refused_by_name(name: str, text: str) -> None:
    with pytest.raises(SettingsError, match=name):
        Settings.from_env({name: text}, cwd=CWD)


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({"DATABASE_URL": "sqlite:///memory.db"}, "DATABASE_URL: SQLite needs none"),
        ({"DATABASE_URL": "mysql://app:planted@db/x"}, "DATABASE_URL: mysql is no address of a Postgres"),
        ({"DATABASE_URL": "planted"}, "DATABASE_URL: what it says is no address of a Postgres"),
        ({"CHROMA_URL": "app:planted"}, "CHROMA_URL: what it says is not an address"),
        ({"BACKSTORY_TENANT": "two words"}, "BACKSTORY_TENANT: 'two words' is not 1 to 40 letters"),
    ],
)
def test_a_server_that_is_none_is_refused_without_its_password(environ: dict[str, str], told: str) -> None:
    with pytest.raises(SettingsError) as refused:
        Settings.from_env(environ, cwd=CWD)

    assert str(refused.value).startswith(told)
    assert "planted" not in str(refused.value)


def test_servers_are_passed_on_and_their_passwords_in_no_repr() -> None:
    urls = {"DATABASE_URL": "postgres://app:planted@db:5432/b", "CHROMA_URL": "http://app:planted@chroma:8000"}

    settings = Settings.from_env({**urls, "BACKSTORY_TENANT": "T1"}, cwd=CWD)

    assert settings.servers.shown == "db:5432/b, tenant T1"
    assert settings.servers.chroma_url == urls["CHROMA_URL"]
    assert "planted" not in f"{settings!r} {settings.servers!r} {settings.servers.address!r}"
