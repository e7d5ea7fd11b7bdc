// A dialog over the page: the browser's own, which keeps the focus inside and gives it back at the end.
import { useEffect, useId, useRef } from "preact/hooks";

const FIRST = "[autofocus], .fields :is(input, select, textarea, button), footer button:last-child";

export function Dialog({ title, onClose, children, className = "", icon }) {
  const id = useId();
  const dialog = useRef();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current.showModal();
    dialog.current.querySelector(FIRST)?.focus();
    return () => before?.isConnected && before.focus();
  }, []);
  const cancel = (event) => {
    event.preventDefault();
    if (event.target === dialog.current) onClose();
  };
  return (
    <dialog ref={dialog} class={`dialog ${className}`} aria-labelledby={id} onCancel={cancel}>
      <header>
        {icon}
        <h2 id={id}>{title}</h2>
        <button type="button" class="icon" aria-label="Close" onClick={onClose}>✕</button>
      </header>
      {children}
    </dialog>
  );
}

export function Confirm({ about, onYes, onNo, children }) {
  return (
    <Dialog title={about.title.text} onClose={onNo} className="small">
      <div class="fields">{children}</div>
      <footer>
        <button type="button" class="button" onClick={onNo}>{about.deny.text}</button>
        <button type="button" autofocus class={`button ${about.style === "danger" ? "danger-full" : "primary"}`} onClick={onYes}>
          {about.confirm.text}
        </button>
      </footer>
    </Dialog>
  );
}
