// Menus that open from a button: arrow keys walk them, Escape and a click elsewhere close them (the popover's own doing).
import { useId, useRef, useState } from "preact/hooks";

const GAP = 4;

function place(menu, anchor) {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = at.bottom + GAP + height <= innerHeight || at.top - GAP - height < 0;
  const top = below ? Math.min(at.bottom + GAP, innerHeight - height - GAP) : at.top - GAP - height;
  menu.style.top = `${Math.max(GAP, top)}px`;
  menu.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - width - GAP))}px`;
}

const STEPS = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 };

function walk(event, columns) {
  const items = [...event.currentTarget.querySelectorAll("[role^=menuitem]")];
  const at = items.indexOf(document.activeElement);
  let next;
  if (event.key === "Home") next = 0;
  else if (event.key === "End") next = items.length - 1;
  else if (event.key in STEPS) {
    const step = STEPS[event.key] * (/Up|Down/.test(event.key) ? columns : 1);
    next = (at + step + items.length) % items.length;
  } else return;
  event.preventDefault();
  items[next]?.focus();
}

// Opener gets the button's props; children is a function that gets `close` and returns the items.
export function Popup({ label, opener, children, columns = 1, className = "" }) {
  const id = useId();
  const menu = useRef();
  const button = useRef();
  const [open, setOpen] = useState(false);
  const close = () => menu.current?.hidePopover();
  const toggled = (event) => {
    setOpen(event.newState === "open");
    if (event.newState === "open") {
      requestAnimationFrame(() => {
        if (!menu.current) return;
        place(menu.current, button.current);
        (menu.current.querySelector("[aria-checked=true]") ?? menu.current.querySelector("[role^=menuitem]"))?.focus();
      });
    } else if (menu.current?.contains(document.activeElement)) button.current?.focus();
  };
  return (
    <>
      {opener({ buttonRef: button, popovertarget: id, "aria-haspopup": "menu", "aria-expanded": open })}
      <div
        ref={menu} id={id} popover="auto" role="menu" aria-label={label} class={`menu ${className}`}
        onToggle={toggled} onKeyDown={(event) => walk(event, columns)}
      >
        {open && children(close)}
      </div>
    </>
  );
}

export function Item({ onChoose, children, danger, checked, ...rest }) {
  return (
    <button
      type="button" role={checked === undefined ? "menuitem" : "menuitemradio"} aria-checked={checked} tabIndex={-1}
      class={danger ? "item danger" : "item"} onClick={onChoose} {...rest}
    >
      {children}
    </button>
  );
}
