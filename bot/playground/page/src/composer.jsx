// The field to write in: Enter sends, `/` offers commands, `@` people.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { sentence } from "./api.js";

const OFFERED = 6;

function offers(text, caret, screen, inThread) {
  const head = text.slice(0, caret);
  if (/^\/\S*$/.test(head) && !inThread) {
    return screen.commands.filter(({ name }) => name.startsWith(head)).map(({ name, hint }) => ({ shown: name, beside: hint, put: `${name} `, from: 0 }));
  }
  const at = /(?:^|\s)@([\p{L}\w.-]*)$/u.exec(head);
  if (!at) return [];
  const typed = at[1].toLowerCase();
  const people = [{ handle: "Backstory", name: "Backstory", beside: "app" }, ...screen.people.map((each) => ({ ...each, beside: `@${each.handle}` }))];
  return people
    .filter(({ handle, name }) => handle.toLowerCase().startsWith(typed) || name.toLowerCase().split(" ").some((word) => word.startsWith(typed)))
    .map(({ handle, name, beside }) => ({ shown: name, beside, put: `@${handle} `, from: caret - at[1].length - 1 }));
}

export function Composer({ screen, label, hint = "", thread, draft, setDraft, send }) {
  const id = useId();
  const field = useRef();
  const [caret, setCaret] = useState(0);
  const [chosen, setChosen] = useState(0);
  const [closed, setClosed] = useState(false);
  const [trouble, setTrouble] = useState("");
  const [busy, setBusy] = useState(false);
  const found = closed ? [] : offers(draft, caret, screen, Boolean(thread)).slice(0, OFFERED);
  useEffect(() => setChosen(0), [found.length]);
  useEffect(() => {
    field.current.style.height = "auto";
    field.current.style.height = `${Math.min(field.current.scrollHeight, 220)}px`;
  }, [draft]);

  const typed = (event) => {
    setDraft(event.currentTarget.value);
    setCaret(event.currentTarget.selectionStart);
    setClosed(false);
    setTrouble("");
  };
  const take = ({ put, from }) => {
    setDraft(draft.slice(0, from) + put + draft.slice(caret));
    setCaret(from + put.length);
    setClosed(true);
    field.current.focus();
  };
  const go = async () => {
    const text = draft.trim();
    if (!text || busy) return;
    setBusy(true);
    setTrouble("");
    setDraft("");
    try {
      await send(text);
    } catch (error) {
      setDraft(draft);
      setTrouble(sentence(error));
    } finally {
      setBusy(false);
    }
  };
  const keys = (event) => {
    if (event.isComposing) return;
    const offered = found.length > 0;
    if (offered && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      setChosen((chosen + (event.key === "ArrowDown" ? 1 : -1) + found.length) % found.length);
    } else if (offered && (event.key === "Enter" || event.key === "Tab") && !event.shiftKey) {
      take(found[Math.min(chosen, found.length - 1)]);
    } else if (offered && event.key === "Escape") {
      setClosed(true);
      event.stopPropagation();
    } else if (event.key === "Enter" && !event.shiftKey) {
      go();
    } else return;
    event.preventDefault();
  };
  return (
    <div class="composer">
      {trouble && <div class="trouble" role="alert">{trouble}</div>}
      {found.length > 0 && (
        <ul class="offers" role="listbox" id={id} aria-label="Suggestions">
          {found.map((one, at) => (
            <li role="option" id={`${id}-${at}`} aria-selected={at === chosen} class={at === chosen ? "chosen" : ""} onMouseDown={(event) => { event.preventDefault(); take(one); }}>
              <strong>{one.shown}</strong> <span>{one.beside}</span>
            </li>
          ))}
        </ul>
      )}
      <div class="field">
        <textarea
          ref={field} rows={1} value={draft} aria-label={label} placeholder={label + hint} onInput={typed} onKeyDown={keys} onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          aria-controls={found.length ? id : undefined} aria-autocomplete="list" aria-activedescendant={found.length ? `${id}-${chosen}` : undefined}
        />
        <button type="button" class="send" aria-label="Send" disabled={!draft.trim()} aria-busy={busy} onClick={go}>
          <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><path class="dot" d="M3 3.6 17.5 10 3 16.4l1.6-5.2L11 10 4.6 8.8z" /></svg>
        </button>
      </div>
    </div>
  );
}
