"""Pictures of what people see, drawn by the playground's own page in Debian's Chromium.

    python -m tests.builders_pictures FILE.json OUT.png [--dark] [--width PIXELS]

FILE holds one message (or a list of blocks), a modal or a home, as JSON.
"""

from __future__ import annotations

import argparse
import html
import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Route, sync_playwright

BUILT = Path(__file__).parents[1] / "bot" / "playground" / "page" / "built"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
MISSING = "" if CHROMIUM else "Chromium is missing: apt-get install chromium fonts-noto-color-emoji"
"""Why there can be no pictures here, "" where there can."""
_ADDRESS = "http://page.example/"
_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_SHOWN = {"modal": "dialog", "home": ".home"}
_MARGIN = 12
"""Pixels of paper around a message."""


@contextmanager
def browser() -> Iterator[Browser]:
    """Start Chromium; tests skip where `MISSING` says why there is none."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield started
        finally:
            started.close()


def picture(
    started: Browser,
    what: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    path: Path,
    *,
    dark: bool = False,
    width: int = 0,
    names: Mapping[str, str] | None = None,
    channels: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> None:
    """Draw one message, modal or home and write it as a PNG.

    Args:
        started: from `browser`.
        what: a message as the playground or the bot has it, a list of blocks, or a view of type modal or home.
        path: the file to write.
        dark: dark colours.
        width: of the page in pixels; 640 for messages, 560 for modals, 800 for a home where left out.
        names: what people's ids are called.
        channels: what channels' ids are called.
        errors: what a modal shows beside its inputs, by block_id.
    """
    thing = {"blocks": list(what)} if isinstance(what, Sequence) else dict(what)
    kind = str(thing.get("type", "message"))
    wide = width or {"modal": 560, "home": 800}.get(kind, 640)
    specimen = {
        "json": thing,
        "theme": "dark" if dark else "light",
        "reading": {"names": names or {}, "channels": channels or {}},
        "errors": errors or {},
    }
    page = started.new_page(viewport={"width": wide, "height": 2000}, device_scale_factor=2)
    try:
        page.route("**/*", lambda route: _answer(route, specimen))
        page.goto(_ADDRESS)
        box = page.locator(_SHOWN.get(kind, "article")).bounding_box()
        assert box is not None
        inner = page.locator(".home > .blocks").bounding_box() if kind == "home" else None
        bottom = box["y"] + box["height"] if inner is None else inner["y"] + inner["height"] + 24
        top = max(0.0, box["y"] - _MARGIN)
        page.screenshot(
            path=path, clip={"x": 0, "y": top, "width": wide, "height": min(2000.0, bottom + _MARGIN) - top}
        )
    finally:
        page.close()


def _answer(route: Route, specimen: Mapping[str, Any]) -> None:
    """Serve the built files; the page's root carries what it shall draw."""
    name = route.request.url.removeprefix(_ADDRESS) or "page.html"
    found = BUILT / name
    if not found.is_file():
        route.fulfill(status=404)
        return
    body = found.read_text("utf-8")
    if name == "page.html":
        body = body.replace('id="page"', f'id="page" data-specimen="{html.escape(json.dumps(specimen))}"')
    route.fulfill(body=body, content_type=_KINDS[found.suffix] + "; charset=utf-8")


def main(arguments: Sequence[str]) -> int:
    """Draw what a file holds; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.builders_pictures")
    parser.add_argument("file", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--width", type=int, default=0)
    given = parser.parse_args(arguments)
    if MISSING:
        print(MISSING, file=sys.stderr)
        return 1
    with browser() as started:
        picture(started, json.loads(given.file.read_text("utf-8")), given.out, dark=given.dark, width=given.width)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
