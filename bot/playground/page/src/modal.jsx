// A modal that the app has opened: its inputs, submit with errors, updates in place, one on another.
import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "./dialog.jsx";
import { initialOf } from "./fields.jsx";
import { Acting, Blocks, keyOf } from "./kit.jsx";
import { sentence } from "./api.js";

const REQUIRED = "Please complete this required field.";

const elementsOf = (block) => [block.accessory, block.element, ...(block.type === "actions" ? block.elements : [])].filter(Boolean);

function missing(view, values) {
  const empty = (value) => value === "" || value == null || (Array.isArray(value) && !value.length);
  const blank = view.blocks.filter((block) => block.type === "input" && !block.optional && empty(values[block.block_id] ?? initialOf(block.element)));
  return Object.fromEntries(blank.map((block) => [block.block_id, REQUIRED]));
}

// Only what is still on the screen is handed in: an update may have taken inputs away.
export function present(view, values) {
  const keys = new Set(view.blocks.flatMap((block) => elementsOf(block).map((element) => keyOf(block, element))));
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.has(key)));
}

export function Modal({ view, act, hidden }) {
  const [values, setValues] = useState({});
  const [errors, setErrors] = useState({});
  const [busy, setBusy] = useState("");
  const [trouble, setTrouble] = useState("");
  const form = useRef();
  const live = useRef(true);
  useEffect(() => () => { live.current = false; }, []);
  useEffect(() => setErrors({}), [view.hash]);

  const wrong = (found) => {
    setErrors(found);
    requestAnimationFrame(() => form.current?.querySelector(".wrong :is(input, select, textarea)")?.focus());
  };
  const attempt = async (name, work) => {
    setBusy(name);
    setTrouble("");
    try {
      return await work();
    } catch (error) {
      if (live.current) setTrouble(sentence(error));
      return null;
    } finally {
      if (live.current) setBusy("");
    }
  };
  const submit = async (event) => {
    event.preventDefault();
    if (busy) return;
    const blank = missing(view, values);
    if (Object.keys(blank).length) return wrong(blank);
    setErrors({});
    const came = await attempt("submit", () => act("submit", { view: view.id, values: present(view, values) }));
    if (came?.errors && live.current) wrong(came.errors);
  };
  const press = (action, block, choice, more) =>
    attempt(action, () => act("press", { on: { id: view.id, type: view.type }, action, block, choice, values: present(view, { ...values, ...more }) }));
  const change = (key, value) => {
    setValues((held) => ({ ...held, [key]: value }));
    setErrors(({ [key]: _gone, ...rest }) => rest);
  };
  const keys = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current.requestSubmit();
  };

  if (hidden) return null;
  return (
    <Dialog title={view.title.text} onClose={() => attempt("close", () => act("dismiss", { view: view.id }))} icon={<span class="avatar app" aria-hidden="true">🔖</span>}>
      <form ref={form} noValidate onSubmit={submit} onKeyDown={keys}>
        <div class="fields">
          <Acting.Provider value={{ press, values, change, errors, busy }}><Blocks blocks={view.blocks} /></Acting.Provider>
          {trouble && <div class="error" role="alert">⚠ {trouble}</div>}
        </div>
        <footer>
          <button type="button" class="button" onClick={() => attempt("close", () => act("dismiss", { view: view.id }))}>{view.close?.text ?? (view.submit ? "Cancel" : "Close")}</button>
          {view.submit && <button type="submit" class="button primary" aria-busy={busy === "submit"}>{view.submit.text}</button>}
        </footer>
      </form>
    </Dialog>
  );
}
