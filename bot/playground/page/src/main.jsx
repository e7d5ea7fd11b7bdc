// The page: a little Slack on the playground, one person at a time.
import { render } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { act as send, fetchScreen, onChange, sentence } from "./api.js";
import { Composer } from "./composer.jsx";
import { Acting, Blocks } from "./kit.jsx";
import { Modal, present } from "./modal.jsx";
import { Sidebar, Sign } from "./sidebar.jsx";
import { Stream } from "./stream.jsx";
import { Reading } from "./text.jsx";

// Where one is stands behind the address's #: person/place/thread/message, so that reloading and "back" work.
const readPlace = () => {
  const [who = "", place = "", thread = "", marked = ""] = location.hash.slice(1).split("/").map(decodeURIComponent);
  return { who, place, thread, marked };
};
const writePlace = ({ who, place, thread = "", marked = "" }) => {
  location.hash = [who, place, thread, marked].join("/").replace(/\/+$/, "");
};

const PERMALINK = /^https:\/\/[a-z0-9-]+\.slack\.com\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})(?:\?(.*))?$/;

function permalink(url) {
  const found = PERMALINK.exec(url);
  if (!found) return null;
  const ts = `${found[2]}.${found[3]}`;
  return { place: found[1], marked: ts, thread: new URLSearchParams(found[4] ?? "").get("thread_ts") ?? "" };
}

function useTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const [theme, setTheme] = useState(() => localStorage.getItem("theme") ?? (dark.matches ? "dark" : "light"));
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    const follow = () => localStorage.getItem("theme") ?? setTheme(dark.matches ? "dark" : "light");
    dark.addEventListener("change", follow);
    return () => dark.removeEventListener("change", follow);
  }, []);
  const turn = () => {
    const next = theme === "dark" ? "light" : "dark";
    localStorage.setItem("theme", next);
    setTheme(next);
  };
  return [theme, turn];
}

function useScreen(at) {
  const [screen, setScreen] = useState(null);
  const [ended, setEnded] = useState("");
  const latest = useRef(at);
  const running = useRef(null);
  latest.current = at;
  const load = useCallback(async () => {
    running.current?.abort();
    const mine = new AbortController();
    running.current = mine;
    try {
      setScreen(await fetchScreen(latest.current, mine.signal));
      setEnded("");
    } catch (error) {
      if (error.name !== "AbortError") setEnded(sentence(error));
    }
  }, []);
  useEffect(() => { load(); }, [at.who, at.place, at.thread]);
  useEffect(() => onChange(load), []);
  return [screen, load, ended];
}

function useUnread(screen, place) {
  const read = useRef({});
  const mine = screen && (read.current[screen.me.id] ??= Object.fromEntries(screen.conversations.map(({ id, latest }) => [id, latest])));
  if (screen) {
    const shown = screen.conversations.find(({ id }) => id === place);
    if (shown) mine[shown.id] = shown.latest;
  }
  return (each) => Boolean(each && mine) && each.latest > (mine[each.id] ?? "");
}

function App() {
  const [at, setAt] = useState(readPlace);
  const [theme, turn] = useTheme();
  const [drafts, setDrafts] = useState({});
  const [hidden, setHidden] = useState(() => new Set());
  const [menu, setMenu] = useState(false);
  const [notice, setNotice] = useState("");
  const [screen, load, ended] = useScreen(at);
  const unread = useUnread(screen, screen?.place);

  useEffect(() => {
    const moved = () => {
      setMenu(false);
      setNotice("");
      setAt(readPlace());
    };
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  useEffect(() => {
    if (menu) document.querySelector(".sidebar .who")?.focus();
  }, [menu]);
  useEffect(() => {
    if (!notice) return undefined;
    const timer = setTimeout(() => setNotice(""), 6000);
    return () => clearTimeout(timer);
  }, [notice]);

  const who = screen?.me.id ?? at.who;
  const go = (place, more = {}) => {
    setMenu(false);
    writePlace({ who, place, ...more });
  };
  const become = (person) => writePlace({ who: person, place: at.place || screen?.place });
  const act = async (what, parts) => {
    const came = await send(who, what, parts);
    if (came.unheard) setNotice("Backstory isn't in this channel. “/invite @Backstory” brings it in.");
    await load();
    return came;
  };
  // Where no field shows what went wrong, a line at the foot of the page does.
  const attempt = async (what, parts) => {
    try {
      return await act(what, parts);
    } catch (error) {
      setNotice(sentence(error));
      return null;
    }
  };
  const reading = useMemo(() => screen && {
    names: { ...screen.names, [screen.app.user]: screen.app.name },
    channels: Object.fromEntries(screen.conversations.filter(({ kind }) => kind === "channel").map(({ id, name }) => [id, name])),
    zone: screen.me.tz ?? undefined,
    follow: (url) => {
      const found = permalink(url);
      if (!found) return false;
      if (!screen.conversations.some(({ id }) => id === found.place)) setNotice("That message is in a channel that you can't see.");
      else go(found.place, found);
      return true;
    },
  }, [screen]);

  if (!screen) return <p class="waiting" role="status">{ended || "Opening…"}</p>;
  const draft = (key) => ({ draft: drafts[key] ?? "", setDraft: (text) => setDrafts((held) => ({ ...held, [key]: text })) });
  // A suggestion goes into the field of the channel that lies open, else of the first one, for whoever is here to send.
  const put = (text) => {
    const open = screen.open?.can_post ? screen.place : screen.conversations.find(({ kind, member, archived }) => kind === "channel" && member && !archived)?.id;
    draft(`${screen.me.id}/${open}`).setDraft(text);
    if (open !== screen.place || menu) go(open);
    setTimeout(() => document.querySelector("main textarea")?.focus(), 100);
  };
  const hide = (ts) => setHidden((held) => new Set([...held, ts]));
  const common = { screen, act: attempt, hide, hidden, at, go, draft, send: act };
  const top = screen.views.at(-1);
  const keys = (event) => {
    const writing = event.target.matches("textarea, input") && event.target.value;
    if (event.key !== "Escape" || event.defaultPrevented || writing || document.querySelector("dialog[open], :popover-open")) return;
    if (menu) setMenu(false);
    else if (screen.open?.thread) go(screen.place);
  };
  return (
    <Reading.Provider value={reading}>
      <div class={`page ${screen.open?.thread ? "with-thread" : ""}`} onKeyDown={keys}>
        <button type="button" class="skip" onClick={() => document.querySelector("main article[tabindex='0'], main textarea, main [role=tab]")?.focus()}>Skip to the messages</button>
        <Sidebar screen={screen} place={screen.place} unread={unread} go={go} become={become} theme={theme} turn={turn} shown={menu} put={put} />
        {menu && <button type="button" class="veil" aria-label="Close the list" onClick={() => setMenu(false)} />}
        <Middle {...common} openMenu={() => setMenu(true)} />
        {screen.open?.thread && <Thread {...common} />}
      </div>
      {screen.views.map((view) => <Modal key={view.id} view={view} act={act} hidden={view !== top} />)}
      {(notice || ended) && <div class="notice" role="alert">{ended || notice}</div>}
    </Reading.Provider>
  );
}

function Middle({ openMenu, ...rest }) {
  const { screen, go } = rest;
  const inApp = screen.place === "home" || screen.place === screen.app.direct;
  const conversation = screen.conversations.find(({ id }) => id === screen.place);
  const title = inApp ? <><span class="avatar app small" aria-hidden="true">🔖</span> {screen.app.name}</> : conversation && <><Sign conversation={conversation} /> {conversation.name}</>;
  const people = screen.open && !inApp ? `${screen.open.members} members${screen.open.app_inside ? "" : " · Backstory isn't in here"}` : "";
  return (
    <main aria-label={inApp ? screen.app.name : conversation?.name}>
      <header class="head">
        <button type="button" class="icon burger" aria-label="Show the list of channels" onClick={openMenu}>☰</button>
        <h1>{title}</h1>
        <span class="about">{people}</span>
      </header>
      {inApp && (
        <div class="tabs" role="tablist" aria-label={screen.app.name}>
          <Tab chosen={screen.place === "home"} onChoose={() => go("home")}>Home</Tab>
          <Tab chosen={screen.place !== "home"} onChoose={() => go("direct")}>Messages</Tab>
        </div>
      )}
      {screen.place === "home" ? <Home {...rest} /> : <Conversation {...rest} conversation={conversation} inApp={inApp} />}
    </main>
  );
}

const Tab = ({ chosen, onChoose, children }) => <button type="button" role="tab" aria-selected={chosen} class="tab" onClick={onChoose}>{children}</button>;

function Home({ screen, act }) {
  const [values, setValues] = useState({});
  useEffect(() => { act("open", { tab: "home" }); }, [screen.me.id]);
  const press = (action, block, choice, more) => act("press", { on: { id: screen.home.id, type: "home" }, action, block, choice, values: present(screen.home, { ...values, ...more }) });
  const change = (key, value) => setValues((held) => ({ ...held, [key]: value }));
  if (!screen.home) return <p class="waiting" role="status">Opening…</p>;
  return (
    <div class="home" role="tabpanel" aria-label="Home">
      <Acting.Provider value={{ press, values, change, errors: {}, busy: "" }}><Blocks blocks={screen.home.blocks} /></Acting.Provider>
    </div>
  );
}

function Conversation({ screen, act, send: post, hide, hidden, at, go, draft, conversation, inApp }) {
  const { open } = screen;
  useEffect(() => { if (inApp) act("open", { tab: "messages" }); }, [inApp && screen.me.id]);
  if (!open) return <p class="waiting">There is nothing here that you can see.</p>;
  const messages = open.messages.filter(({ ts }) => !hidden.has(ts));
  const label = inApp ? `Message ${screen.app.name}` : `Message #${conversation.name}`;
  const reply = (message) => go(open.id, { thread: message.thread_ts ?? message.ts });
  return (
    <>
      <Stream
        key={`${screen.me.id}/${open.id}`} messages={messages} label={`Messages in ${conversation.name}`} empty={inApp ? "Ask Backstory why, or what was decided." : "Nothing has been said here yet."}
        marked={at.thread ? "" : at.marked} openTs={open.thread?.ts} screen={screen} act={act} reply={reply} hide={hide}
      />
      {open.can_post ? (
        <Composer key={`${screen.me.id}/${open.id}/field`} screen={screen} label={label} hint={inApp ? "" : " · or ask /why …"} {...draft(`${screen.me.id}/${open.id}`)} send={(text) => post("say", { channel: open.id, text })} />
      ) : (
        <div class="join">
          <span>{conversation.archived ? "This channel is archived." : <>You are looking at <strong>#{conversation.name}</strong></>}</span>
          {!conversation.archived && <button type="button" class="button primary" onClick={() => act("join", { channel: open.id })}>Join channel</button>}
        </div>
      )}
    </>
  );
}

function Thread({ screen, act, send: post, hide, hidden, at, go, draft }) {
  const { open } = screen;
  const { ts, messages } = open.thread;
  const conversation = screen.conversations.find(({ id }) => id === open.id);
  const key = `${screen.me.id}/${open.id}/${ts}`;
  // Whoever opened it from a message goes on in it, and comes back to the message at the end.
  useEffect(() => {
    if (document.activeElement?.closest("main")) document.querySelector("aside.thread textarea")?.focus();
    return () => requestAnimationFrame(() => {
      if (document.activeElement === document.body) document.querySelector(`main [data-ts="${CSS.escape(ts)}"]`)?.focus();
    });
  }, [key]);
  return (
    <aside class="thread" aria-label="Thread">
      <header class="head">
        <h2>Thread</h2>
        <span class="about">{conversation.kind === "channel" ? `#${conversation.name}` : ""}</span>
        <button type="button" class="icon" aria-label="Close thread" onClick={() => go(open.id)}>✕</button>
      </header>
      <Stream key={key} messages={messages.filter((each) => !hidden.has(each.ts))} label="Messages of the thread" marked={at.marked} screen={screen} act={act} hide={hide} />
      {open.can_post && <Composer key={`${key}/field`} screen={screen} label="Reply…" thread={ts} {...draft(key)} send={(text) => post("say", { channel: open.id, thread: ts, text })} />}
    </aside>
  );
}

// One message, modal or home by itself, for whoever wants a picture of it (tests/builders_pictures.py).
function Specimen({ what }) {
  const nothing = { press: () => {}, values: {}, change: () => {}, errors: what.errors ?? {}, busy: "" };
  const reading = { names: {}, channels: {}, zone: "UTC", follow: () => true, ...what.reading };
  const { json } = what;
  let shown;
  if (json.type === "modal") shown = <Modal view={{ id: "V", hash: "", ...json }} act={async () => ({})} />;
  else if (json.type === "home") shown = <div class="home"><Acting.Provider value={nothing}><Blocks blocks={json.blocks} /></Acting.Provider></div>;
  else {
    const message = { ts: `${Math.floor(Date.now() / 1000)}.000100`, user: "UBACKSTORY", bot_id: "B", text: "", ...json };
    const screen = { me: { id: "U", kind: "member" }, app: { user: "UBACKSTORY", name: "Backstory" }, shortcuts: [], open: { id: "C", can_post: true, messages: [] } };
    shown = <Stream messages={[message]} label="Message" screen={screen} act={async () => ({})} hide={() => {}} />;
  }
  return <Reading.Provider value={reading}><div class="specimen">{shown}</div></Reading.Provider>;
}

const root = document.getElementById("page");
if (root.dataset.specimen) {
  const what = JSON.parse(root.dataset.specimen);
  if (what.theme) document.documentElement.dataset.theme = what.theme;
  render(<Specimen what={what} />, root);
} else render(<App />, root);
