// One message with what hangs on it: reactions, its thread, and what can be done with it.
import { useContext, useState } from "preact/hooks";
import { Confirm } from "./dialog.jsx";
import { PICK } from "./emoji.js";
import { Acting, Blocks } from "./kit.jsx";
import { Item, Popup } from "./menu.jsx";
import { present } from "./modal.jsx";
import { Avatar } from "./people.jsx";
import { clock, dated, Emoji, Mrkdwn, Reading } from "./text.jsx";

const words = (text) => ({ text });
const REMOVAL = { title: words("Delete message"), confirm: words("Delete"), deny: words("Cancel"), style: "danger" };
const QUICK = PICK.slice(0, 5);

const told = new Set(["channel_join", "channel_leave", "group_join", "group_leave", "channel_archive", "channel_name", "group_name",
  "group_archive", "channel_convert_to_private", "channel_convert_to_public"]);

export const isLine = (message) => told.has(message.subtype) || message.subtype === "tombstone";

export function EmojiMenu({ label, onPick, opener }) {
  return (
    <Popup label={label} columns={6} className="emojis" opener={opener}>
      {(close) => PICK.map(([name, character]) => (
        <Item aria-label={name.replaceAll("_", " ")} title={`:${name}:`} onChoose={() => { close(); onPick(name); }}>{character}</Item>
      ))}
    </Popup>
  );
}

function Reactions({ message, me, react }) {
  const { names } = useContext(Reading);
  if (!message.reactions?.length) return null;
  const add = ({ buttonRef, ...rest }) => <button ref={buttonRef} type="button" class="reaction add" aria-label="Add a reaction" {...rest}><Smile /></button>;
  return (
    <div class="reactions" role="group" aria-label="Reactions">
      {message.reactions.map(({ name, users, count }) => {
        const mine = users.includes(me);
        const who = users.map((each) => (each === me ? "you" : names[each])).join(", ");
        return (
          <button type="button" class={`reaction ${mine ? "mine" : ""}`} aria-pressed={mine} title={`${who} reacted with :${name}:`} aria-label={`${name.replaceAll("_", " ")}, ${count}: ${who}`} onClick={() => react(name)}>
            <Emoji name={name} /> <span class="count">{count}</span>
          </button>
        );
      })}
      <EmojiMenu label="Add a reaction" onPick={react} opener={add} />
    </div>
  );
}

export const Smile = () => (
  <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
    <circle cx="10" cy="10" r="7.2" /><path d="M7 12c1.6 1.9 4.4 1.9 6 0" /><circle class="dot" cx="7.6" cy="8.3" r=".9" /><circle class="dot" cx="12.4" cy="8.3" r=".9" />
  </svg>
);
const Bubble = () => <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true"><path d="M4 4.5h12v8.5H9.5L6 16.2V13H4z" /></svg>;
const Dots = () => <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true"><circle class="dot" cx="10" cy="4.5" r="1.5" /><circle class="dot" cx="10" cy="10" r="1.5" /><circle class="dot" cx="10" cy="15.5" r="1.5" /></svg>;

function Toolbar({ message, can, doing }) {
  const smile = ({ buttonRef, ...rest }) => <button ref={buttonRef} type="button" aria-label="Add a reaction" title="Add a reaction" {...rest}><Smile /></button>;
  const dots = ({ buttonRef, ...rest }) => <button ref={buttonRef} type="button" aria-label="More actions" title="More actions" {...rest}><Dots /></button>;
  if (message.is_ephemeral) {
    return <div class="toolbar"><button type="button" class="wide" onClick={doing.hide}>Dismiss</button></div>;
  }
  return (
    <div class="toolbar" role="group" aria-label="Message actions">
      {can.post && QUICK.map(([name, character]) => (
        <button type="button" class="quick" aria-label={`React with ${name.replaceAll("_", " ")}`} title={`:${name}:`} onClick={() => doing.react(name)}>{character}</button>
      ))}
      {can.post && <EmojiMenu label="Add a reaction" onPick={doing.react} opener={smile} />}
      {doing.reply && <button type="button" aria-label="Reply in thread" title="Reply in thread" onClick={doing.reply}><Bubble /></button>}
      <Popup label="More actions" opener={dots}>
        {(close) => (
          <>
            {can.shortcuts.map(({ id, name }) => <Item onChoose={() => { close(); doing.shortcut(id); }}>{name}<small>Backstory</small></Item>)}
            {can.edit && <Item onChoose={() => { close(); doing.edit(); }}>Edit message</Item>}
            {can.delete && <Item danger onChoose={() => { close(); doing.remove(); }}>Delete message…</Item>}
          </>
        )}
      </Popup>
    </div>
  );
}

function ago(ts) {
  const days = Math.floor((Date.now() / 1000 - Number(ts.split(".")[0])) / 86400);
  if (days < 1) return "today";
  if (days < 31) return days === 1 ? "yesterday" : `${days} days ago`;
  const months = Math.round(days / 30.4);
  return months === 1 ? "last month" : `${months} months ago`;
}

function ThreadLine({ message, open }) {
  const { names } = useContext(Reading);
  const { reply_count: count, reply_users: users = [] } = message;
  return (
    <button type="button" class="thread-line" onClick={open}>
      <span class="faces">{users.slice(0, 4).map((each) => <Avatar id={each} name={names[each]} app={names[each] === "Backstory"} small />)}</span>
      <span class="replies">{count} {count === 1 ? "reply" : "replies"}</span>
      <span class="last">Last reply {ago(message.latest_reply)}</span>
    </button>
  );
}

function Body({ message }) {
  if (message.blocks?.length) return <Blocks blocks={message.blocks} />;
  return <div class="blocks"><div class="block"><Mrkdwn text={message.text} /></div></div>;
}

function Editing({ message, save, stop }) {
  const [text, setText] = useState(unwired(message.text));
  const keys = (event) => {
    if (event.key === "Escape") stop();
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      save(text);
    }
  };
  return (
    <div class="editing">
      <textarea rows={3} aria-label="Edit message" value={text} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={keys} ref={(field) => field?.focus()} />
      <div><button type="button" class="button" onClick={stop}>Cancel</button> <button type="button" class="button primary" onClick={() => save(text)}>Save</button></div>
    </div>
  );
}

const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };
const unwired = (text) => text.replace(/<#[^|>]+\|([^>]+)>/g, "#$1").replace(/<!(\w+)>/g, "@$1").replace(/<(https?:[^|>]+)>/g, "$1")
  .replace(/<@([^|>]+)>/g, "@$1").replace(/&(?:amp|lt|gt);/g, (each) => ENTITIES[each]);

// act(what, parts) does it as the person at the screen; reply opens the thread (none inside one).
export function Message({ message, screen, joined, act, reply, hide, current, marked, focused }) {
  const { names, zone } = useContext(Reading);
  const [editing, edit] = useState(false);
  const [removing, remove] = useState(false);
  const [busy, setBusy] = useState("");
  const [values, setValues] = useState({});
  const { me, app, open } = screen;
  const own = message.user === me.id;
  const fromApp = Boolean(message.bot_id);
  const at = { channel: open.id, ts: message.ts };
  const name = message.user === app.user ? app.name : (names[message.user] ?? "Slackbot");

  if (isLine(message)) {
    const words = message.subtype === "tombstone" ? message.text : <Mrkdwn text={message.text.replace(/^(made|has)/, `<@${message.user}> $1`)} />;
    return (
      <article class="message told" tabIndex={focused ? 0 : -1} data-ts={message.ts}>
        <span class="time">{clock(message.ts, zone)}</span> <span>{words}</span>
        {message.reply_count > 0 && reply && <ThreadLine message={message} open={reply} />}
      </article>
    );
  }
  const press = async (action, block, choice, more) => {
    setBusy(action);
    await act("press", { on: { ...at, hidden: Boolean(message.is_ephemeral) }, action, block, choice, values: present(message, { ...values, ...more }) });
    setBusy("");
  };
  const change = (key, value) => setValues((held) => ({ ...held, [key]: value }));
  const doing = {
    react: (emoji) => act("react", { ...at, name: emoji }),
    shortcut: (id) => act("shortcut", { ...at, shortcut: id }),
    edit: () => edit(true),
    remove: () => remove(true),
    reply, hide,
  };
  const can = {
    post: open.can_post, shortcuts: open.can_post ? screen.shortcuts : [], edit: own && !fromApp,
    delete: (own && !fromApp) || ["admin", "owner"].includes(me.kind),
  };
  const save = async (text) => {
    edit(false);
    await act("edit", { ...at, text });
  };
  return (
    <article
      class={`message ${joined ? "joined" : ""} ${message.is_ephemeral ? "ephemeral" : ""} ${marked ? "marked" : ""} ${current ? "current" : ""}`}
      tabIndex={focused ? 0 : -1} data-ts={message.ts} aria-label={`${name}, ${dated(message.ts.split(".")[0], "{date_short_pretty} {time}", zone)}${message.is_ephemeral ? ", only visible to you" : ""}`}
    >
      {message.is_ephemeral && <div class="only-you"><Eye /> Only visible to you</div>}
      {message.subtype === "thread_broadcast" && reply && <div class="only-you">replied to a thread</div>}
      <div class="gutter">{joined ? <span class="time" aria-hidden="true">{clock(message.ts, zone).replace(/ [AP]M/, "")}</span> : <Avatar id={message.user} name={name} app={message.user === app.user} />}</div>
      <div class="content">
        {!joined && (
          <div class="by">
            <strong>{name}</strong>
            {fromApp && <span class="badge">APP</span>}
            <span class="time">{clock(message.ts, zone)}</span>
          </div>
        )}
        {editing ? <Editing message={message} save={save} stop={() => edit(false)} /> : (
          <Acting.Provider value={{ press, values, change, errors: {}, busy }}><Body message={message} /></Acting.Provider>
        )}
        {message.edited && !fromApp && <span class="edited">(edited)</span>}
        <Reactions message={message} me={me.id} react={doing.react} />
        {reply && message.reply_count > 0 && <ThreadLine message={message} open={reply} />}
      </div>
      {!editing && <Toolbar message={message} can={can} doing={doing} />}
      {removing && (
        <Confirm about={REMOVAL} onNo={() => remove(false)} onYes={() => { remove(false); act("delete", at); }}>
          Delete this message? This can't be undone.
        </Confirm>
      )}
    </article>
  );
}

const Eye = () => <svg viewBox="0 0 20 20" width="14" height="14" aria-hidden="true"><path d="M2.5 10S5.2 5.2 10 5.2 17.5 10 17.5 10 14.8 14.8 10 14.8 2.5 10 2.5 10z" /><circle class="dot" cx="10" cy="10" r="2.1" /></svg>;
