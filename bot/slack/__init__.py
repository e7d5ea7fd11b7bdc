"""Slack: what comes in from it, and what people see there.

A delivery goes `intake` → inbox → worker → `listeners`, and from there to `pressing`, `reacting` or one of the rooms:

- `home`: the Home tab, one person's page.
- `unasked`: how did it go, the weekly digest, offers, the budget notice.
- `answering`: questions and what comes of them.
- `channel`: what a channel chose.
- `recording`: from a thread to its card.
- `saying`: once, to everybody or to one person alone, within the noise budget.
- `layout`: words, blocks and text; each word is in `layout.words`, each id of a button in `layout.actions`.

Who may read is `access`, who may do what `rights`, what handlers share `room`. Imports go down only.
"""
