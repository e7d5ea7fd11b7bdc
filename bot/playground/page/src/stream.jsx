// A run of messages, oldest first, with days between them; arrow keys walk it.
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isLine, Message } from "./message.jsx";
import { dated, Reading } from "./text.jsx";

const TOGETHER_S = 300;
const seconds = (message) => Number(message.ts.split(".")[0]);

function follows(before, message) {
  return before && !isLine(before) && !isLine(message) && before.user === message.user && Boolean(before.is_ephemeral) === Boolean(message.is_ephemeral)
    && !message.is_ephemeral && seconds(message) - seconds(before) < TOGETHER_S && !before.reply_count && message.subtype !== "thread_broadcast";
}

export function Stream({ messages, label, empty, marked, openTs, children, ...rest }) {
  const { zone } = useContext(Reading);
  const box = useRef();
  const atEnd = useRef(true);
  const [at, setAt] = useState("");
  const last = messages.at(-1)?.ts ?? "";

  useLayoutEffect(() => {
    if (atEnd.current && !marked) box.current.scrollTop = box.current.scrollHeight;
  }, [messages]);
  useEffect(() => {
    if (marked) box.current.querySelector(`[data-ts="${CSS.escape(marked)}"]`)?.scrollIntoView({ block: "center" });
  }, [marked, Boolean(messages.length)]);
  const scrolled = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    atEnd.current = scrollHeight - scrollTop - clientHeight < 40;
  };
  const keys = (event) => {
    const here = event.target.closest("article");
    if (event.target !== here || !["ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return;
    const all = [...box.current.querySelectorAll("article")];
    const now = all.indexOf(here);
    const next = { ArrowUp: now - 1, ArrowDown: now + 1, Home: 0, End: all.length - 1 }[event.key];
    const target = all[Math.max(0, Math.min(all.length - 1, next))];
    event.preventDefault();
    setAt(target.dataset.ts);
    target.focus();
  };
  const focusable = messages.some((each) => each.ts === at) ? at : last;

  let day = "";
  let before = null;
  return (
    <div class="stream" ref={box} onScroll={scrolled} onKeyDown={keys} role="log" aria-label={label}>
      <div class="pad">{children}{!messages.length && <p class="empty">{empty}</p>}</div>
      {messages.map((message) => {
        const today = dated(message.ts.split(".")[0], "{day_divider_pretty}", zone);
        const divider = today !== day && <div class="day" role="separator"><span>{today[0].toUpperCase() + today.slice(1)}</span></div>;
        const joined = !divider && follows(before, message);
        day = today;
        before = message;
        return (
          <>
            {divider}
            <Message
              key={message.ts} message={message} joined={joined} marked={message.ts === marked} current={message.ts === openTs}
              focused={message.ts === focusable} {...rest} reply={rest.reply && !message.is_ephemeral ? () => rest.reply(message) : undefined} hide={() => rest.hide(message.ts)}
            />
          </>
        );
      })}
    </div>
  );
}
