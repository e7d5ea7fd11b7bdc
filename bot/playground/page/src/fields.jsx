// Inputs of modals and menus of messages: the browser's own controls, labelled, with Slack's values.
import { createContext } from "preact";
import { useContext, useId } from "preact/hooks";
import { Acting } from "./kit.jsx";
import { Plain, Reading, Text } from "./text.jsx";

const Labelled = createContext({});
const GROUPS = new Set(["radio_buttons", "checkboxes", "multi_static_select", "multi_users_select", "multi_channels_select", "multi_conversations_select"]);

export function Field({ block, children }) {
  const id = useId();
  const { errors } = useContext(Acting);
  const error = errors[block.block_id];
  const about = [block.hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  const group = GROUPS.has(block.element.type);
  const role = block.element.type === "radio_buttons" ? "radiogroup" : group ? "group" : undefined;
  const label = (
    <>
      <Plain text={block.label.text} />
      {block.optional && <span class="optional"> (optional)</span>}
    </>
  );
  return (
    <div class={`block input ${error ? "wrong" : ""}`} role={role} aria-labelledby={group ? `${id}-label` : undefined} aria-describedby={group ? about : undefined}>
      {group ? <div class="label" id={`${id}-label`}>{label}</div> : <label class="label" for={id}>{label}</label>}
      <Labelled.Provider value={{ id, about, invalid: Boolean(error), required: !block.optional }}>{children}</Labelled.Provider>
      {error && <div class="error" id={`${id}-error`} role="alert">⚠ {error}</div>}
      {block.hint && <div class="hint" id={`${id}-hint`}><Plain text={block.hint.text} /></div>}
    </div>
  );
}

const first = (element) =>
  element.initial_value ?? element.initial_option?.value ?? element.initial_options?.map((each) => each.value) ??
  element.initial_user ?? element.initial_users ?? element.initial_channel ?? element.initial_channels ??
  element.initial_conversation ?? element.initial_conversations ?? element.initial_date ?? element.initial_time ??
  element.initial_date_time ?? "";

export const initialOf = first;

const optionsOf = (element) => [...(element.options ?? []), ...(element.option_groups ?? []).flatMap((group) => group.options)];

function people(names) {
  return Object.entries(names).map(([value, text]) => ({ value, text: { type: "plain_text", text } }));
}

export function Choices({ block, element, value, enter, done }) {
  const { names, channels } = useContext(Reading);
  const now = value ?? first(element);
  const parts = { block, element, value: now, enter, done };
  switch (element.type) {
    case "radio_buttons": return <Radios {...parts} />;
    case "checkboxes":
    case "multi_static_select": return <Checks {...parts} options={optionsOf(element)} />;
    case "multi_users_select": return <Checks {...parts} options={people(names)} />;
    case "multi_channels_select":
    case "multi_conversations_select": return <Checks {...parts} options={people(channels)} />;
    case "static_select": return <Select {...parts} />;
    case "users_select": return <Select {...parts} element={{ ...element, options: people(names) }} />;
    case "channels_select":
    case "conversations_select": return <Select {...parts} element={{ ...element, options: people(channels) }} />;
    case "datepicker": return <Line {...parts} type="date" />;
    case "timepicker": return <Line {...parts} type="time" />;
    case "datetimepicker": return <Line {...parts} type="datetime-local" />;
    case "number_input": return <Line {...parts} type="number" />;
    case "email_text_input": return <Line {...parts} type="email" />;
    case "url_text_input": return <Line {...parts} type="url" />;
    case "plain_text_input": return element.multiline ? <Lines {...parts} /> : <Line {...parts} type="text" />;
    default: return <span class="alt">({element.type})</span>;
  }
}

function useNaming(element) {
  const { id, about, invalid, required } = useContext(Labelled);
  return {
    id, "aria-describedby": about, "aria-invalid": invalid || undefined, "aria-required": required || undefined,
    "aria-label": id ? undefined : (element.placeholder?.text ?? "Choose"), autofocus: element.focus_on_load || undefined,
  };
}

function Line({ element, value, enter, done, type }) {
  const naming = useNaming(element);
  const keys = (event) => {
    if (event.key !== "Enter" || !done || event.isComposing) return;
    event.preventDefault();
    done(event.currentTarget.value);
  };
  return (
    <input
      {...naming} type={type} value={value} placeholder={element.placeholder?.text} minLength={element.min_length} maxLength={element.max_length}
      step={element.is_decimal_allowed ? "any" : undefined} onInput={(event) => enter(event.currentTarget.value)} onKeyDown={keys}
    />
  );
}

function Lines({ element, value, enter }) {
  const naming = useNaming(element);
  return (
    <textarea
      {...naming} rows={3} value={value} placeholder={element.placeholder?.text} maxLength={element.max_length}
      onInput={(event) => enter(event.currentTarget.value)}
    />
  );
}

function Select({ element, value, enter }) {
  const naming = useNaming(element);
  const option = (each) => <option value={each.value} selected={each.value === value}>{each.text.text}</option>;
  return (
    <select {...naming} value={value} onChange={(event) => enter(event.currentTarget.value)}>
      <option value="" disabled={!value}>{element.placeholder?.text ?? "Choose an option"}</option>
      {(element.options ?? []).map(option)}
      {(element.option_groups ?? []).map((group) => <optgroup label={group.label.text}>{group.options.map(option)}</optgroup>)}
    </select>
  );
}

function Radios({ block, element, value, enter }) {
  const name = useId();
  const alone = block.type !== "input";
  return (
    <div class="choices" role={alone ? "radiogroup" : undefined} aria-label={alone ? "Choose one" : undefined}>
      {element.options.map((each) => (
        <label class="choice">
          <input type="radio" name={name} value={each.value} checked={each.value === value} onChange={() => enter(each.value)} />
          <span><Text text={each.text} />{each.description && <small><Text text={each.description} /></small>}</span>
        </label>
      ))}
    </div>
  );
}

function Checks({ element, options, value, enter }) {
  const chosen = Array.isArray(value) ? value : [];
  const toggle = (one) => enter(chosen.includes(one) ? chosen.filter((each) => each !== one) : [...chosen, one]);
  const long = element.type !== "checkboxes" && options.length > 6;
  return (
    <div class={`choices ${long ? "long" : ""}`}>
      {options.map((each) => (
        <label class="choice">
          <input type="checkbox" checked={chosen.includes(each.value)} onChange={() => toggle(each.value)} />
          <span><Text text={each.text} />{each.description && <small><Text text={each.description} /></small>}</span>
        </label>
      ))}
    </div>
  );
}
