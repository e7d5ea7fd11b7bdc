// Block Kit: what an app puts on a message, a modal or its home, drawn and made to work.
import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import { Confirm } from "./dialog.jsx";
import { Field, Choices } from "./fields.jsx";
import { Item, Popup } from "./menu.jsx";
import { Plain, Reading, RichText, Text } from "./text.jsx";

// press(action, block, choice, more): tells the app; values: what stands in inputs, by `keyOf`; change(key, value); errors: by block.
export const Acting = createContext({ press: () => {}, values: {}, change: () => {}, errors: {}, busy: "" });

export const keyOf = (block, element) => (block.type === "input" ? block.block_id : element.action_id);

export function Blocks({ blocks }) {
  return <div class="blocks">{blocks.map((block, at) => <Block key={block.block_id ?? at} block={block} />)}</div>;
}

function Block({ block }) {
  switch (block.type) {
    case "section": return <Section block={block} />;
    case "header": return <h2 class="block header"><Plain text={block.text.text} /></h2>;
    case "divider": return <hr class="block" />;
    case "context": return <div class="block context">{block.elements.map((each) => <Beside element={each} />)}</div>;
    case "actions": return <div class="block actions">{block.elements.map((each) => <Element block={block} element={each} />)}</div>;
    case "context_actions": return <div class="block actions about">{block.elements.map((each) => <Element block={block} element={each} />)}</div>;
    case "input": return <Field block={block}><Element block={block} element={block.element} /></Field>;
    case "rich_text": return <div class="block"><RichText block={block} /></div>;
    case "markdown": return <div class="block markdown">{block.text}</div>;
    case "image": return <figure class="block picture"><figcaption>{block.title?.text}</figcaption><Picture element={block} /></figure>;
    case "table": return <Table block={block} />;
    case "plan": return <div class="block"><strong>{block.title}</strong>{block.tasks?.map((task) => <Block block={task} />)}</div>;
    case "task_card": return <div class="block task">{block.title}</div>;
    default: return <div class="block context">({block.type})</div>;
  }
}

// No picture is fetched from anywhere: its words stand for it.
const Picture = ({ element }) => <span class="alt" role="img" aria-label={element.alt_text}>🖼 {element.alt_text}</span>;
const Beside = ({ element }) => (element.type === "image" ? <Picture element={element} /> : <span><Text text={element} /></span>);

function Section({ block }) {
  return (
    <div class="block section">
      <div class="words">
        {block.text && <Text text={block.text} />}
        {block.fields && <div class="columns">{block.fields.map((field) => <div><Text text={field} /></div>)}</div>}
      </div>
      {block.accessory && <div class="accessory"><Element block={block} element={block.accessory} /></div>}
    </div>
  );
}

function Table({ block }) {
  const cell = (each) => (each.type === "raw_text" ? each.text : <RichText block={each} />);
  return (
    <table class="block">
      <tbody>{block.rows.map((row) => <tr>{row.map((each) => <td>{cell(each)}</td>)}</tr>)}</tbody>
    </table>
  );
}

// --- what can be pressed or filled in ---

// `key`: of an input; its new value goes along with what stands in the others.
function usePress(block, element, key) {
  const { press } = useContext(Acting);
  const [asked, ask] = useState(null);
  const go = (choice) => press(element.action_id, block.block_id, choice, key ? { [key]: choice } : {});
  const act = (choice = "") => (element.confirm ? ask({ choice }) : go(choice));
  const confirm = asked && (
    <Confirm about={element.confirm} onNo={() => ask(null)} onYes={() => { ask(null); go(asked.choice); }}>
      <Text text={element.confirm.text} />
    </Confirm>
  );
  return [act, confirm];
}

function Element({ block, element }) {
  switch (element.type) {
    case "button": return <Button block={block} element={element} />;
    case "icon_button": return <Button block={block} element={element} />;
    case "feedback_buttons": return <Feedback block={block} element={element} />;
    case "overflow": return <Overflow block={block} element={element} />;
    case "image": return <Picture element={element} />;
    default: return <Entry block={block} element={element} />;
  }
}

function Button({ block, element }) {
  const { busy } = useContext(Acting);
  const { follow } = useContext(Reading);
  const [act, confirm] = usePress(block, element);
  const pressed = () => {
    if (element.url && !follow(element.url)) open(element.url, "_blank", "noopener,noreferrer");
    act();
  };
  return (
    <>
      <button
        type="button" class={`button ${element.style ?? ""}`} aria-label={element.accessibility_label}
        aria-busy={busy === element.action_id} onClick={pressed}
      >
        <Plain text={element.text.text} />
      </button>
      {confirm}
    </>
  );
}

function Feedback({ block, element }) {
  const { press } = useContext(Acting);
  const side = (one, sign) => (
    <button type="button" class="button" aria-label={one.accessibility_label} onClick={() => press(element.action_id, block.block_id, one.value)}>
      {sign} <Plain text={one.text.text} />
    </button>
  );
  return <>{side(element.positive_button, "👍")}{side(element.negative_button, "👎")}</>;
}

function Overflow({ block, element }) {
  const [act, confirm] = usePress(block, element);
  const opener = ({ buttonRef, ...rest }) => <button ref={buttonRef} type="button" class="button more" aria-label="More actions" {...rest}>⋯</button>;
  return (
    <>
      <Popup label="More actions" opener={opener}>
        {(close) => element.options.map((option) => (
          <Item onChoose={() => { close(); act(option.value); }}>
            <Text text={option.text} />
            {option.description && <small><Text text={option.description} /></small>}
          </Item>
        ))}
      </Popup>
      {confirm}
    </>
  );
}

const TYPED = new Set(["plain_text_input", "email_text_input", "url_text_input", "number_input"]);

// An input: in an input block it waits for the submit button, elsewhere the app hears of each change. One that
// dispatches says when: typed ones at Enter unless they ask for each character.
function Entry({ block, element }) {
  const { values, change } = useContext(Acting);
  const key = keyOf(block, element);
  const [act, confirm] = usePress(block, element, key);
  const dispatches = block.type !== "input" || block.dispatch_action;
  const wanted = element.dispatch_action_config?.trigger_actions_on ?? ["on_enter_pressed"];
  const typed = TYPED.has(element.type);
  const enter = (value) => {
    change(key, value);
    if (dispatches && (!typed || wanted.includes("on_character_entered"))) act(value);
  };
  const done = dispatches && typed && wanted.includes("on_enter_pressed") ? act : undefined;
  return <><Choices block={block} element={element} value={values[key]} enter={enter} done={done} />{confirm}</>;
}
