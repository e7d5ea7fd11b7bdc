"""For or against: whether words deny what other words affirm, and whether somebody objects.

Heuristics over English with the commonest denials of a few other languages. They answer "differs" only
when every shared word stands under the opposite sign, and "objects" only on plain words of objection: a miss
leaves a proposal standing beside its verbatim quote, where a reader can see it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from store.core.model import Reaction
from store.core.wording import content_words, word_set

_STEM = 4
_REACH = 12
"""Words that a denial covers before its clause ends: "not going to move the background jobs to the bus"."""

_CLAUSE = re.compile(
    r"[.;!?\n,:()…]|\s[-–—]+\s|\b(?:but|however|so|although|though|while|whereas|then|since|because|aber|mais|pero|mas)\b"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[+-]\d")
_DENIES = word_set(
    """not no never without neither nor none cannot cant dont wont isnt arent doesnt didnt shouldnt wouldnt wasnt
    werent against drop drops dropped dropping remove removes removed removing stop stops stopped stopping
    reject rejects rejected rejecting avoid avoids avoiding ban banned retire retires retired retiring kill
    killed abandon abandoned deprecate deprecated disable disabled ditch ditched ditching cancel cancelled
    canceled skip skipped forbid forbidden refuse refused decline declined nicht kein keine keinen keiner nie
    ohne pas jamais sans nao não nunca sin nein nope out"""
)
_DENIES_BEFORE_TOO = word_set("rejected dropped removed retired ditched out nicht pas")
_NOT_VERBS = word_set("isnt arent wont wasnt werent doesnt didnt dont cant cannot wouldnt shouldnt")
_COPULA = word_set("is are was were be will would should can could does do did stays gets goes")
_INSTEAD = re.compile(r"\b(?:instead of|rather than|as opposed to|ruled? out|turn(?:ed|ing)? down|opt(?:ed)? out of)\b")

_FROM = re.compile(r"\bfrom (?P<left>(?:[\w.-]+ ){0,3}[\w.-]+) to\b(?! \d)(?<!\d to)")
"""What is left for something else: "move the keys from Postgres to Redis"."""

_AGAINST = re.compile(
    r"""(?x)(?<![\w+-])-1(?![\w.%]) | :-1: | :thumbsdown: | 👎 | \bveto\b | \b(?:strong|hard|big)\ no\b
    | ^\s*nope?\b(?!\s+(?:problem|worries))
    | \bi(?:'m|\ am)(?:\ still|\ strongly|\ really)*
      \ (?:against|opposed|not\ (?:convinced|happy|comfortable|on\ board|sold|a\ fan))
    | \bi(?:\ still|\ strongly|\ really)*\ (?:disagree|object|oppose)\b
    | \bi(?:\ still|\ really)*\ (?:don't|do\ not|wouldn't|would\ not|can't|cannot)
      \ (?:think\ (?:we|this|that|it)|agree|support|like|want|buy|accept|see\ why|go\ along)
    | \bi'd\ (?:much\ )?(?:rather|prefer)\ (?:we\ )?(?:not|didn't) | \bplease\ (?:don't|do\ not)\b
    | \b(?:bad|terrible|awful|horrible)\ idea\b | \bover\ my\ dead\ body\b | \bobjection\ from\ me\b
    | \b(?:that|this|it)(?:'s|\ is|\ would\ be)\ (?:a\ (?:big\ |huge\ )?mistake|wrong)\b
    | \bi(?:\ still)?\ (?:have|see)\ (?:serious|big|real|strong)\ (?:concerns|objections|doubts)\b"""
)
_FOR = re.compile(
    r"""(?x)(?<![\w+-])\+1(?![\w.%]) | :\+1: | :thumbsup: | 👍 | \bagreed?\b | \bsounds\ good\b | \blgtm\b
    | \b(?:works|fine|good|ok|okay)\ (?:for|with|by)\ me\b | \bship\ it\b | \blet's\ (?:go|do|take|ship)\b
    | \bi'm\ (?:in|fine|ok|okay|convinced|sold|on\ board)\b | \bconvinced\b | \bi\ can\ live\ with\b
    | \bwe(?:'ll)?\ go\ with\b | \bfine,?\ then\b | \bok(?:ay)?,?\ then\b | \bdeal\b | \bhappy\ with\b
    | \bi\ take\ (?:it|that)\ back\b"""
)
_NOT_AGAINST = re.compile(
    r"""(?x)disagree\ and\ commit | no\ objections? | not\ against | withdraw\ (?:my|the)\ objection
    | (?:don't|do\ not)\ (?:disagree|object)"""
)
_DECIDED = re.compile(
    r"""(?x)(?<![\w'])
    (?P<name> (?! (?:We|I|You|It|That|This|The|Team|So|Ok|And|Just|Finally|All|Both)\b ) [^\W\d_a-z][\w'’-]+
    | (?i: they | he | she | management | leadership | legal | finance
         | the\ (?:board|management|leadership|ceo|cto|cfo|client|customer|vendor|council|committee) ) )
    \ (?i: (?:has|have)\ )? (?i: (?:just|also|now)\ )? (?i: decided | ruled | vetoed | signed\ off )\b"""
)
_SPOKE_WITH = re.compile(
    r"(?i:\b(?:call|meeting|huddle|chat|sync|discussion|talk|agreed|aligned|spoke|talked|checked|cleared)) with "
    r"(?P<name>[^\W\d_a-z][\w'’-]+)"
)
_OBJECTING = word_set("conv disa obje oppo idea mist thin supp bad stro hard wron seri conc doub agai")
_AGAINST_NAMES = frozenset({"-1", "thumbsdown", "no_entry", "no_entry_sign", "no_good", "octagonal_sign", "x"})


def contradicts(title: str, quotes: Sequence[str], *, turned_down: bool = False) -> bool:
    """Say whether a title says the opposite of the quotes that it rests on, the deciding one first.

    Args:
        title: one statement ("Stay on Postgres", "No Elasticsearch for logs").
        quotes: verbatim words; those that share no word with the title say nothing about it.
        turned_down: the title names a proposal that was turned down, so it may affirm what its quote denies.
    """
    settling = quotes[:1] if turned_down and _denies(title) else quotes  # a no rests on proposals and on reasons, too
    for quote in settling:
        if (same := _same_sign(title, quote, turned_down)) is not None:
            return not same
    return False


def _denies(title: str) -> bool:
    """Say whether a title denies more than it affirms."""
    signs = [heard for heard in _signs(title).values() if len(heard) == 1]
    return sum(heard == {False} for heard in signs) > len(signs) / 2


def objects(text: str, title: str, options: Iterable[str], *, settled: bool = True, about: str = "") -> bool | None:
    """Say whether a turn objects to the decision of that title; None where it takes no stance on it.

    The last stance in a turn counts, and the sentence that it stands in says what it is aimed at: an
    objection to one of the options that lost, or to what the title itself denies, is none.

    Args:
        text: what somebody wrote.
        title: the decision.
        options: what was considered and not chosen.
        settled: the deciding words had been said; before them, an objection must name the decision's matter.
        about: the turn before, which a bare "strong no" answers.
    """
    text = _NOT_AGAINST.sub(" agreed ", text.lower().replace("’", "'"))
    against = max((match.start() for match in _AGAINST.finditer(text)), default=-1)
    agrees = max((match.start() for match in _FOR.finditer(text)), default=-1)
    if against < 0 and agrees < 0:
        return None
    if agrees > against:
        return False
    start = max(text.rfind(mark, 0, against) for mark in ".!?\n") + 1
    sentence = text[start:against] + re.split(r"[.!?\n]", text[against:], maxsplit=1)[0]
    aims = (_stems(words) - _OBJECTING for words in (sentence, text, about))
    said, meant = next(filter(None, aims), frozenset()), _stems(title)
    lost = _stems(" ".join(options)) - meant
    if len(said & lost) > len(said & meant):
        return None
    if not said & meant:
        return True if settled else None
    signs = _signs(title)
    return None if all(signs.get(stem) == {False} for stem in said & meant) else True


def deciders_named(words: str, authors: Iterable[str]) -> frozenset[str]:
    """Return those authors whom deciding words name as who decided: "Anita decided that …", "as per call with Ana: …".

    Args:
        words: the deciding words.
        authors: names of those who write in the thread, given name first or alone.
    """
    said = {match["name"].casefold() for pattern in (_DECIDED, _SPOKE_WITH) for match in pattern.finditer(words)}
    return frozenset(author for author in authors if said & set(author.casefold().split()))


def passes_on(words: str) -> bool:
    """Say whether deciding words tell what others decided: "Anita decided this morning that we close the depot"."""
    return bool(_DECIDED.search(words))


def objects_by_reaction(reactions: Iterable[Reaction]) -> tuple[str, ...]:
    """Return who put a thumb down (or a stop sign) on a turn, each once."""
    users = (
        user for reaction in reactions if reaction.name.split("::")[0] in _AGAINST_NAMES for user in reaction.users
    )
    return tuple(dict.fromkeys(users))


def _same_sign(title: str, quote: str, turned_down: bool) -> bool | None:
    """Say whether most shared words stand under the same sign; None where none has one sign in each, or at a draw."""
    ours, theirs = _signs(title), _signs(quote)
    shared = [stem for stem in ours.keys() & theirs.keys() if len(ours[stem]) == len(theirs[stem]) == 1]
    if turned_down and all(ours[stem] == {True} for stem in shared):
        return None
    alike = sum(ours[stem] == theirs[stem] for stem in shared)
    return None if 2 * alike == len(shared) else 2 * alike > len(shared)


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in content_words(text))


def _signs(text: str) -> dict[str, set[bool]]:
    """Return under which signs each content word stands: True affirmed, False denied."""
    signs: dict[str, set[bool]] = {}
    text = _INSTEAD.sub(" not ", _FROM.sub(r", not \g<left>, to", text.lower().replace("’", "'")))
    for clause in _CLAUSE.split(text):
        words = [word.replace("'", "") if word.endswith("n't") else word for word in _WORD.findall(clause)]
        denials = [at for at, word in enumerate(words) if word in _DENIES]
        for at, word in enumerate(words):
            if word in _DENIES or not (stems := _stems(word)):
                continue
            before = sum(1 for denial in denials if denial < at <= denial + _REACH)
            after = [_denies_subject(words, at, denial) for denial in denials if denial > at]
            for stem in stems:
                heard = signs.setdefault(stem, set())
                heard.add((before + after.count(True)) % 2 == 0)
                if None in after:
                    heard.update((True, False))
    return signs


def _denies_subject(words: Sequence[str], at: int, denial: int) -> bool | None:
    """Say whether a denial covers a word before it ("websockets are out"); None where it may or may not.

    "The jobs are not moved to the bus" says of the jobs neither that they stay nor that they go, and "keys go to
    Redis and the table is retired" says nothing against the keys.
    """
    if words[denial] in _DENIES_BEFORE_TOO:
        return None if "and" in words[at:denial] else True
    if words[denial] in _NOT_VERBS or (denial > 0 and words[denial - 1] in _COPULA):
        return None
    return False
