"""The words that the gate listens for: English cues by what they do, as data to be read and argued with.

A cue is one feature among several and never enough by itself. Sources add their own through a
`Vocabulary`; a thread that isn't English uses none of these.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DAY = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|tomorrow|today|tonight|(?:the )?next (?:release|sprint"
    r"|week|month|quarter|season|year|version)"
    r"|(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december)\b(?: \d+)?|\d{1,2} ?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*"
    r"|q[1-4]|v?\d+\.\d+(?:\.\d+)?|now on|here on|day one"
)
_ADOPT = r"(?:go|going|went|run|running|stick|sticking|proceed|proceeding|roll|rolling|live|start|starting) with"
_TAKE = (
    r"(?:do|use|take|keep|make|adopt|pick|choose|move|switch|drop|call|cut|ban|ship|stay|stop|leave|skip"
    r"|kill|freeze|cap|retire|merge|replace|require|standardi[sz]e)"
)

CUES: tuple[tuple[str, str], ...] = (
    (
        "closing",
        r"\b(?:it'?s |we(?:'ve| have)? |that'?s )?(?:decided|settled|agreed|resolved"
        r"|concluded)\b(?! to disagree)|\bcall(?:ing)? (?:it\b|that\b|this one)|\b(?:final (?:answer|call"
        r"|word)"
        r"|verdict|conclusion|decision|ruling|outcome|consensus)\b ?(?:is|:|=|->|then)|\bdecision\b[:\s—-]"
        r"|\bexception granted|\b(?:motion|vote) (?:carried|passes|passed)|\bno objections?\b"
        r"|\bdone deal\b"
        r"|\bwe have a (?:winner|decision|plan)\b|\bthat settles (?:it|this)|\bsold[.!,]|\bclosing (?:this"
        r"|the (?:poll|vote|thread|rfc|discussion))|\b(?:approved|signed off|accepted)\b[:.,]"
        r"|\bto (?:sum up|summari[sz]e|recap|close)\b|\bfor the record[:,]|\blocking (?:it|this|that) in\b"
        r"|\block it in\b",
    ),
    (
        "adopt",
        rf"\b(?:we(?:'ll| will|'re| are)?|let'?s|lets|i'?m|i'?ll|so|then|ok(?:ay)?|just|gonna"
        rf"|to)? ?{_ADOPT}\b|\bopt(?:ing|ed)? for\b|\bsettl(?:e|ed|ing) on\b|\bland(?:ed|ing) on\b"
        rf"|\b(?:pick|choos|adopt|switch|mov|standardi[sz])ing (?:to |on )?\b"
        rf"|\blet'?s (?:just |then |simply |all )?(?:not )?{_TAKE}\b|\bwe (?:pick|choose|chose|adopt|take"
        rf"|took|want)\b|\bwinner\b|\bvote (?:is|goes)\b|\bship it\b|\bgo for it\b|\bmake it so\b"
        rf"|\bgo with\b|\bdoing (?:that|this|it)\b",
    ),
    (
        "it_is",
        r"\b(?:it is|it'll be)(?=[\s.,;:!]*(?:$|[,.;!(:]|then\b|from\b|for\b|start))|\w then(?=\s*(?:$"
        r"|[.,;!(—:]))|^(?:[^\w\n]{0,12}(?:ok(?:ay)?|alright|right|fine|cool|so|yes|yeah|good"
        r"|great)[\s,.:]+)?(?:then|so)\b(?! (?:what|how|why|who|is|are|do|does|can|could|should|where|when"
        r"|if))",
    ),
    (
        "we_do",
        rf"\bwe(?:'ll| will|'re going to| are going to|'re gonna| shall| must)\b(?! (?:see|need to (?:think"
        rf"|talk|know)|have to see))|\bwe(?:'re| are) (?:\w+ )?(?:\w{{3,}}ing)\b|\bwe (?:\w+ly )?(?:build"
        rf"|{_TAKE[3:-1]}|add|buy|split|rename|store|write|publish|run|reject|accept|support|allow|deny"
        rf"|look|set|put|rewrite|share|open|close|remove|turn|bring)\b|\bshould(?:n't)? (?:now )?be\b",
    ),
    (
        "keep",
        r"\b(?:stay|stays|staying|stick|sticks|sticking|keep|keeps|keeping|remain|remains|leave|leaving"
        r"|leaves)\b(?! (?:an eye|you posted|calm|in mind|me posted|posted|it up))",
    ),
    (
        "opener",
        r"^[^\w\n]{0,12}(?:ok(?:ay)?|alright|all right|right|fine|so|then|yes|yeah|yep|cool|great|good|very well"
        r"|in that case|sure|deal|done|agreed|settled|perfect|thanks? (?:all|everyone|both)|got it"
        r"|understood|enough)\b",
    ),
    (
        "turn_down",
        r"(?:^|[,.;:(]\s*|\b(?:so|ok|okay|then|and|it'?s|that'?s|also|fine)\s+(?:a )?)no (?!idea|problem"
        r"|worries|wonder|one\b|clue|rush|need\b|objection|thanks|way\b|matter|news|more\b|strong|longer"
        r"|screams)\w+|\bnot (?:doing|going (?:to|with|ahead|for)|building|buying|adopting|moving|using"
        r"|happening|worth it|adding|merging|shipping|renewing|migrating|touching|switching|taking"
        r"|pursuing)\b"
        r"|\b(?:we|i)(?:'re| are|'m| am)? (?:won'?t|don'?t|do not|will not|not)\b(?! (?:know|think|see"
        r"|remember|understand|mind|have|care|want to (?:know|think)|get|recall|trust|need me))"
        r"|\b(?:rul(?:e|ed|ing) out|won'?t fix|wontfix|reject(?:ed|ing)?|turn(?:ed|ing)? (?:it|this"
        r"|that) down|dropp(?:ed|ing)|scrap(?:ped|ping)?|shelv(?:ed|ing)|abandon(?:ed|ing)?|veto(?:ed)?"
        r"|declin(?:e|ed|ing)|off the table|no-go|it'?s a no\b)",
    ),
    (
        "norm",
        r"\b(?:every(?:where|thing|one|body)?|all|only|never|always|must(?:n't)?|nobody|no one|no new"
        r"|any(?:one|body|thing)?|by default|default(?:s)?|at least|at most|per|max(?:imum)?|min(?:imum)?"
        r"|once a|twice a|both|unless|until|alone|everywhere|no longer|any ?more|either)\b",
    ),
    (
        "when",
        rf"\b(?:from|starting|start|as of|effective|beginning|since|by|until|after|till"
        rf"|on)\b[^.?!]{{0,14}}?\b(?:{_DAY})|\bfrom now on\b|\bgoing forward\b|\bfor now\b"
        rf"|\bfor the time being\b|\bthis (?:sprint|week|quarter|season|release)\b",
    ),
    (
        "assign",
        r"\b\w+ (?:writes?|drives?|owns?|takes?|leads?|does|preps?|drafts?|orders|updates|files) (?:it"
        r"|this|that|the|up|a|an)\b|\b\w+ (?:drives|owns|leads)\b|\bcan you (?:take|own|write|do|pick|set"
        r"|file|update)\b|\bi'?ll (?:write|draft|file|open|update|send|do|set|put|turn|make|tell|take"
        r"|announce|order|book|add)\b|\b(?:adr|rfc|ticket|changelog)\b",
    ),
    (
        "motion",
        r"^[^\w\n]{0,12}(?:resolved|resolution(?: #?\d+)?|proposal|proposed(?: resolution)?|decision"
        r"|motion|ruling|accepted|approved)"
        r" ?(?:#?\d+ ?)?[:–—]",
    ),
    (
        "revisit",
        r"\b(?:revisit|reconsider|re-?open|re-?evaluate|re-?assess|look (?:at (?:it|this|that|\w+ \w+"
        r"|\w+) )?again|review (?:it|this|that) (?:in|after|when|next|if|once)|come back to (?:it|this)"
        r"|try again (?:in|when|after|if)|until (?:they|it|we|the|that)|check again|talk again (?:in|when"
        r"|if))\b",
    ),
    (
        "because",
        r"\b(?:because|cause|since (?:we|it|they|the|that|nobody)|reasons?|so that|otherwise|as (?:we|it|they"
        r"|nobody) (?:can'?t|don'?t|have|already)|too (?:\w+) (?:to|for)|worth|not paying|wins)\b",
    ),
    (
        "replaces",
        r"\b(?:instead of|in place of|rather than|replac(?:e|es|ed|ing)|supersed(?:e|es|ed|ing)|goes away"
        r"|go away|retired?|overrid(?:e|es|ing)|overrul(?:e|es|ed|ing)|revers(?:e|es|ed|ing)|undo(?:ing)?"
        r"|back to|no longer|not any ?more|any ?more|revert(?:s|ed|ing)? (?:to|the|our)|chang(?:e|ed"
        r"|ing) (?:our|my) mind|scrap(?:ping)?|out with|walk(?:ing)? back|forget what)\b",
    ),
)
"""What speaks for a deciding sentence; one name each, matched at most once a sentence."""

COUNTER_CUES: tuple[tuple[str, str], ...] = (
    (
        "hedge",
        r"\b(?:maybe|perhaps|might|could|would|i guess|probably|not sure|unsure|depends?|i think|i feel"
        r"|imo|imho|fwiw|i'?d (?:rather|prefer|like|love|say|vote|go|be)|i wonder|wondering|seems?|suppose"
        r"|ish|thinking (?:of|about)|leaning|tempted|my vote|my preference|in favou?r|i like|i want"
        r"|i propose|proposal|propos(?:e|ed|ing)|suggest(?:ion|ing)?|how about|what about|why not"
        r"|option)\b",
    ),
    (
        "hypothetical",
        r"\b(?:hypothetical(?:ly)?|thought experiment|what if|in theory|in principle|imagine|if we (?:ever"
        r"|had|were|did|could|wanted|were to)|if i (?:had|were|wrote)|just (?:thinking|curious|wondering"
        r"|asking|musing|sizing)|curious|curiosity|for fun|one day|some ?day|in an ideal world"
        r"|day ?dream\w*|hack ?(?:day|week|athon)|not proposing|out of interest|suppose we|would you"
        r"|would we|wish)\b",
    ),
    (
        "report",
        r"\b(?:is (?:live|out|up|back|done|down|green|fixed|merged|deployed)|are (?:live|out|back|green"
        r"|done|fixed)|went (?:live|out|up|down|from|well)|rolled (?:back|out)|deployed|shipped|fixed"
        r"|merged|landed|finished|completed|released|recovered|draining|so far|as of (?:today|now"
        r"|this morning)|status|update:|fyi|psa|heads[ -]?up|reminder|remember|numbers|since (?:launch"
        r"|monday|tuesday|wednesday|thursday|friday|the)|last (?:night|week|month|year|quarter)"
        r"|this morning|yesterday|ago|months? in|weeks? in|worked out|turned out|was the right|already"
        r"|still|just (?:merged|shipped|deployed|finished)|triggered|for yesterday|post-?mortem|root cause"
        r"|cause\b.{0,12}(?:is|was|:))\b",
    ),
    (
        "defer",
        r"\b(?:later|next (?:week|time|call|meeting|retro|planning|sync|month)|park(?:ed|ing)?|tbd|tbc"
        r"|let'?s see|we'?ll see|wait (?:for|until|till|and)|let (?:it|me|us) (?:sit|think|sleep|run|be"
        r"|check)|sleep on|not (?:today|now|yet)|undecided|no decision|not decided|decide (?:on|by|before"
        r"|when|after|next|later|then|in|at|tomorrow|once)|needs? (?:more|a (?:spike|benchmark|number|poc"
        r"|closer))|once we (?:know|have)|when we know|let'?s (?:talk|discuss|pick this up|take (?:it"
        r"|this) (?:offline|to)|wait|measure|revisit|park|continue|not decide)|discuss (?:it|this|there|on"
        r"|at|in)|to be (?:decided|discussed)|open question|to think about|come back to|then we talk"
        r"|nothing (?:planned|decided)|bring (?:it|this) (?:up|to)|pick (?:it|this) up|on the agenda"
        r"|on the list|keep(?:ing)? (?:the|it) (?:tab |thread )?open)\b",
    ),
    (
        "joke",
        r"\b(?:lol|lmao|rofl|haha+|hehe|jk|kidding|joking|joke|/s|april (?:fools?|1)|obviously|cobol"
        r"|famous last words|with tea)\b|:(?:joy|rofl|stuck_out_tongue|laughing|smile|clown_face"
        r"|upside_down_face|troll)\w*:|😂|🤣|😜|🤡|(?:^|\s)[:;]-?[)DP](?:\s|$)|/s\b",
    ),
    (
        "retold",
        r"\b(?:as (?:agreed|decided|discussed|per|announced|planned|promised|we (?:said|agreed|decided))"
        r"|per (?:the|our|\w+-\d+)|from the (?:archive|meeting|minutes|offsite|call)|we (?:said|decided"
        r"|agreed)\b.{0,40}\b(?:in|on|last|back|at|already)|(?:they|he|she|\w+ team|the board|management"
        r"|legal|vendor|upstream) (?:has |have )?(?:decided|agreed|announced|settled|said|went with)"
        r"|(?:was|were|got|been) (?:decided|agreed|settled|approved|chosen|rejected)|already (?:decided"
        r"|settled|agreed)|history there|ages ago|back (?:in|when)|nothing new|afaik|remember when|used to"
        r"|is (?:written|documented))\b",
    ),
    (
        "help",
        r"\b(?:how (?:do|can|would|to)|where (?:do|can|is|are)|can (?:someone|anyone|anybody|somebody|you"
        r"|i|we)|does (?:anyone|anybody|someone)|is there|anyone know|try (?:it|this|the|to|again|clearing"
        r"|running|with)?|you (?:can|could|need|have to|should|want|might|may)|have you|did you"
        r"|tell (?:them|him|her)|ask (?:them|him|her|for|the)|see (?:the )?(?:docs|readme|wiki|runbook"
        r"|page)|run `|thanks|thank you|thx|ty|cheers|welcome|works now|that worked|good to know|where"
        r"|which team)\b",
    ),
    ("you", r"\b(?:you|your|yours|yourself|u)\b"),
    (
        "past",
        r"\b(?:was|were|had|did|didn'?t|wasn'?t|went|got|came|found|tried|looked|used to|said|told|saw|ran"
        r"|broke|fixed"
        r"|changed|replayed|removed|noticed|happened|started|asked|reviewed|rolled|moved to the)\b",
    ),
    (
        "open",
        r"\b(?:no (?:agreement|consensus|conclusion|decision|strong|opinion|answer|eta|date)|not (?:ready"
        r"|convinced|sure|pitching"
        r"|proposing|settled|decided|there yet|urgent|clear)|going back and forth|let me (?:think|check"
        r"|look|ask|prototype|try|see"
        r"|measure|profile|read|get back)|i'?ll (?:think|check|look|ask|read|measure|profile|get back"
        r"|come back|write up (?:the )?options)"
        r"|need(?:s|ed)? to (?:think|profile|measure|check|look|read|ask|see|talk|discuss|understand|test|research)"
        r"|ask(?:ing)? (?:\w+ )?(?:\w+'s )?(?:\w+ ){0,3}(?:first|on (?:mon|tues|wednes|thurs|fri)day)"
        r"|before (?:i|we) (?:say|decide|commit|answer)"
        r"|thinking out loud|open question|just wanted to know|see (?:if|how|whether|what)|someone should"
        r"|somebody should"
        r"|would like (?:a|to know)|not (?:a )?vote|up in the air|on the fence|torn|50/50|either way"
        r"|who knows|we (?:could|might))\b",
    ),
    (
        "mine",
        r"^[^\w\n]{0,12}(?:i|i'?ve|i'?m|i'?d|my|looking|on it|checking|watching|filed|posting|signing|merging|fixing"
        r"|done|me)\b",
    ),
    (
        "asks",
        r"\?\s*(?:$|:\w+:|[)\"'])|^[^\w\n]{0,12}(?:who|what|why|how|when|where|which|should we|do we|does|is|are|can"
        r"|could|any|anyone|would|did|has)\b",
    ),
)
"""What speaks against it: questions, hedges, jokes, reports of what happened, answers to a question for help."""

ACK = (
    r"^[^\w\n]{0,12}(?::?(?:\+1|100|thumbsup|ok_hand|white_check_mark|heavy_check_mark|handshake|salute"
    r"|saluting_face|pray|tada|rocket|heart\w*|clap|muscle|raised_hands|shipit|cake)\w*:?|\+1|👍|👌|✅|🙏|🎉|"
    r"ok(?:ay)?|k|kk|okie|wfm|works? for me|fine(?: by me| with me)?|sounds? (?:good|great|fine|ok|right"
    r"|reasonable|sensible)|agree\w*|deal|done|nice|great|perfect|good|cool|yes|yep|yeah|yup|sure|lgtm"
    r"|sgtm|same|fair|sad|grumpy|"
    r"makes sense|no objections?|happy with|happy|love it|bless|finally|convinced|sold|respect|approved?"
    r"|ship it|thanks?|thx|ty|cheers|understood|got it|noted|ack|roger|aye|seconded|second(?:ed)?|can live"
    r"|i can live|codegen i'll|hooray|yay|amen|go go|right|alright|excellent|brilliant|lovely"
    r"|not my favou?rite|i lose|i'?m (?:in|fine|good|happy|ok|convinced)|so be it)(?!\w)"
)
"""A short answer that goes along with what stands before it."""

ACTION = (
    r"\b(?:on it|will do|i'?ll\b|i will|i can (?:do|take|write|have)|i'?m (?:on|writing|doing|going to"
    r"|updating|filing)|(?:adr|rfc|pr|ticket|doc|draft|patch|mr|cr) (?:coming|filed|is up|up|follows"
    r"|incoming|\d+)|(?:filed|filing|opened|opening|signing|merging|writing|drafting|implementing"
    r"|migrating|updating|documenting|ordering|booking|scheduling|deleting|removing|creating|closing"
    r"|sending|raising|pushing|preparing|documented|starting on)\b|[a-z]+-\d+ (?:filed|opened|is)|todo"
    r"|starting (?:now|monday|tomorrow)|by (?:monday|tuesday|wednesday|thursday|friday|eod|tomorrow))"
)
"""Somebody starts to act on it."""

OPTIONS = (
    r"\b(?:options?|candidates?|choices?|alternatives?|either|versus|vs\.?|pros?|cons?|pick one"
    r"|which (?:one|of)|or (?:do|should|just|a|the|we|is)|\w+ or \w+|rfc|proposal|propose|propos(?:ing|ed)"
    r"|should we|shall we|do we|what (?:about|if we)|how about|could we|can we|why (?:not|don't)"
    r"|i'?d (?:rather|prefer|vote|suggest|like|go)|let'?s|needs? a|we need|we have to|too (?:slow"
    r"|expensive|big|many|much))\b|\([a-d1-4]\)|(?:^|\s)[a-d1-4]\)|^\W{0,4}\w+(?:[ -]\w+){0,2}\?$"
)
"""Choices on the table before anything is settled."""

OBJECTION = (
    r"\b(?:but|though|however|rather not|not a fan|don'?t (?:like|love|want|think)|against|disagree|object"
    r"|nope|no way|please (?:don'?t|no)|problem|risk|risky|worried|nervous|concern\w*|breaks?|cost|costs"
    r"|expensive|slow|pain|hurts?|lock-?in|downside|trade-?off|fails?|can'?t|cannot|won'?t|never again"
    r"|hard to|too)\b|-1|:-1:|👎"
)
"""Somebody weighs something against something."""

HELPED = (
    r"\b(?:that (?:worked|works|did it|helped|explains|fixed|was it)|works? now|working now|it works"
    r"|thank(?:s| you)|thx|ty|cheers"
    r"|good to know|brilliant|awesome|ah+|aaa+h|perfect|back now|ok back|solved|sorted|got it)\b"
)
"""Somebody got what they asked for."""

ASKS_HELP = (
    r"\b(?:how (?:do|can|would|to|long|many|much)|where (?:do|can|is|are)|can (?:someone|anyone|anybody"
    r"|somebody)|does (?:anyone|anybody)"
    r"|has (?:anyone|anybody)|have (?:you|we) (?:got|any)|is (?:anyone|anybody|there|it)|did (?:anyone"
    r"|anybody|you|we)|anyone (?:know|else|seen)"
    r"|who(?:'s| is| has| owns| knows)|which (?:form|team|page|one of you)|what(?:'s| is| are| does"
    r"| do we do)|what happened|fails? with"
    r"|crash\w*|error|stuck|broken|down\?|unable to|can'?t (?:log|open|see|find|get))\b"
)
"""A question for help or facts rather than for a choice."""

ENGLISH = _words(
    """
    the a an and or but is are was were be been it its it's that this we we're i you they he she to of in on at
    for from with as by if then so not no do does don't did have has had will would can could should our my your
    their there what how why who when which just ok yes all
    """
)
"""Function words: an English thread is full of them."""

STOP_WORDS = ENGLISH | _words(
    """
    about after again also any back because before being both cannot come each even every get gets getting go
    goes going got here him her his into let like lot made make makes many more most much need needs new now off
    once one only other out over own really same say says see some still such take than thanks them these thing
    things think those through too up us use used using very want wants way well where while yeah yet okay one's
    lets let's i'm i'd i'll i've we'll we've you're that's there's doesn't isn't won't can't maybe right sure
    good fine nice great keep
    """
)
"""Words too common to show that two sentences are about one thing."""


def compiled(table: tuple[tuple[str, str], ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the table's patterns ready to search, case ignored, in the order given."""
    return tuple((name, re.compile(pattern, re.IGNORECASE | re.MULTILINE)) for name, pattern in table)
