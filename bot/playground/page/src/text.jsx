// Texts as Slack draws them: mrkdwn, rich text, dates in the reader's zone. Everything becomes nodes, never HTML.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { NodeType, parse } from "slack-message-parser";
import { emoji } from "./emoji.js";

// names: id → name of people; channels: id → name of what the reader may read; zone; follow(url): goes to a message.
export const Reading = createContext({ names: {}, channels: {}, zone: "UTC", follow: () => false });

const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };
const unescaped = (text) => text.replace(/&(?:amp|lt|gt);/g, (found) => ENTITIES[found]);
const SAFE = /^(https?:\/\/|mailto:)/i;

export function Link({ url, children }) {
  const { follow } = useContext(Reading);
  if (!SAFE.test(url)) return <span>{children}</span>;
  const go = (event) => follow(url) && event.preventDefault();
  return <a href={url} target="_blank" rel="noopener noreferrer" onClick={go}>{children}</a>;
}

const Person = ({ id }) => <span class="mention">@{useContext(Reading).names[id] ?? "somebody"}</span>;

function Channel({ id }) {
  const name = useContext(Reading).channels[id];
  return name ? <span class="mention">#{name}</span> : <span class="mention">🔒 private-channel</span>;
}

export function Emoji({ name }) {
  const character = emoji(name);
  return character ? <span class="emoji" role="img" aria-label={name.replaceAll("_", " ")}>{character}</span> : `:${name}:`;
}

// --- dates ---

const DAY_MS = 86_400_000;
const part = (at, zone, options) => new Intl.DateTimeFormat("en-US", { timeZone: zone ?? "UTC", ...options }).format(at);
const nth = (day) => day + (day % 100 > 10 && day % 100 < 14 ? "th" : (["th", "st", "nd", "rd"][day % 10] ?? "th"));
const dayOf = (at, zone) => part(at, zone, { year: "numeric", month: "2-digit", day: "2-digit" });

function pretty(at, zone, otherwise) {
  const now = Date.now();
  for (const [name, shift] of [["today", 0], ["yesterday", -DAY_MS], ["tomorrow", DAY_MS]]) {
    if (dayOf(at, zone) === dayOf(new Date(now + shift), zone)) return name;
  }
  return otherwise;
}

function dateParts(at, zone) {
  const year = Math.abs(Date.now() - at) > 183 * DAY_MS ? `, ${part(at, zone, { year: "numeric" })}` : "";
  const day = Number(part(at, zone, { day: "numeric" }));
  const month = part(at, zone, { month: "long" });
  const date = `${month} ${nth(day)}${year}`;
  const short = `${part(at, zone, { month: "short" })} ${day}${year}`;
  const long = `${part(at, zone, { weekday: "long" })}, ${date}`;
  const [m, d, y] = dayOf(at, zone).split("/");
  return {
    date_num: `${y}-${m}-${d}`, date, date_short: short, date_long: long, date_slash: `${m}/${d}/${y}`,
    date_pretty: pretty(at, zone, date), date_short_pretty: pretty(at, zone, short), date_long_pretty: pretty(at, zone, long),
    day_divider_pretty: pretty(at, zone, long),
    time: part(at, zone, { hour: "numeric", minute: "2-digit" }),
    time_secs: part(at, zone, { hour: "numeric", minute: "2-digit", second: "2-digit" }),
  };
}

export function dated(seconds, format, zone, fallback = "") {
  const at = new Date(Number(seconds) * 1000);
  if (Number.isNaN(at.getTime())) return fallback;
  const parts = dateParts(at, zone);
  return format.replace(/\{(\w+)\}/g, (found, name) => parts[name] ?? found);
}

export const clock = (ts, zone) => dated(ts.split(".")[0], "{time}", zone);

function DateText({ args, label }) {
  const { zone } = useContext(Reading);
  const [seconds, format, url] = args;
  const shown = dated(seconds, format, zone, label);
  return url ? <Link url={url}>{shown}</Link> : <time title={dated(seconds, "{date_long} {time}", zone)}>{shown}</time>;
}

// --- mrkdwn ---

const MARKS = { [NodeType.Bold]: "strong", [NodeType.Italic]: "em", [NodeType.Strike]: "s", [NodeType.Quote]: "blockquote" };

function lines(text) {
  return unescaped(text).split("\n").flatMap((line, at) => (at ? [<br />, line] : [line]));
}

function said(node) {
  return unescaped(node.label?.map((each) => each.text ?? each.source).join("") ?? "");
}

function node(each) {
  const Mark = MARKS[each.type];
  if (Mark) return <Mark>{each.children.map(node)}</Mark>;
  switch (each.type) {
    case NodeType.Text: return lines(each.text);
    case NodeType.Code: return <code>{unescaped(each.text)}</code>;
    case NodeType.PreText: return <pre>{unescaped(each.text)}</pre>;
    case NodeType.UserLink: return <Person id={each.userID} />;
    case NodeType.ChannelLink: return <Channel id={each.channelID} />;
    case NodeType.Emoji: return <Emoji name={each.variation ? `${each.name}::${each.variation}` : each.name} />;
    case NodeType.URL: return <Link url={unescaped(each.url)}>{each.label?.length ? each.label.map(node) : unescaped(each.url)}</Link>;
    case NodeType.Command:
      if (each.name === "date") return <DateText args={each.arguments} label={said(each)} />;
      return <span class="mention loud">@{said(each).replace(/^@/, "") || each.name}</span>;
    default: return unescaped(each.source ?? "");
  }
}

// Slack quotes a line that begins with ">" whether or not it is escaped; the parser wants it escaped.
export const Mrkdwn = ({ text }) => <>{parse(text.replace(/^>/gm, "&gt;")).children.map(node)}</>;

export function Text({ text }) {
  return text.type === "mrkdwn" ? <Mrkdwn text={text.text} /> : <Plain text={text.text} />;
}

// plain_text: no marks, but emoji by name.
export function Plain({ text }) {
  return <>{text.split(/(:[a-z0-9_+-]+:)/).map((piece) => (/^:.+:$/.test(piece) ? <Emoji name={piece.slice(1, -1)} /> : piece))}</>;
}

// --- rich text: what people's own messages are made of ---

function Run({ run }) {
  const { zone } = useContext(Reading);
  let shown;
  switch (run.type) {
    case "user": shown = <Person id={run.user_id} />; break;
    case "channel": shown = <Channel id={run.channel_id} />; break;
    case "broadcast": shown = <span class="mention loud">@{run.range}</span>; break;
    case "usergroup": shown = <span class="mention">@group</span>; break;
    case "emoji": shown = <Emoji name={run.name} />; break;
    case "link": shown = <Link url={run.url}>{run.text || run.url}</Link>; break;
    case "date": shown = dated(run.timestamp, run.format, zone, run.fallback); break;
    default: shown = (run.text ?? run.value ?? "").split("\n").flatMap((line, at) => (at ? [<br />, line] : [line]));
  }
  for (const [style, Mark] of [["code", "code"], ["bold", "strong"], ["italic", "em"], ["strike", "s"]]) {
    if (run.style?.[style]) shown = <Mark>{shown}</Mark>;
  }
  return shown;
}

function RichPart({ part: { type, elements, style, offset } }) {
  const runs = () => elements.map((run) => <Run run={run} />);
  if (type === "rich_text_list") {
    const List = style === "ordered" ? "ol" : "ul";
    return <List start={(offset ?? 0) + 1}>{elements.map((item) => <li><RichPart part={item} /></li>)}</List>;
  }
  if (type === "rich_text_quote") return <blockquote>{runs()}</blockquote>;
  if (type === "rich_text_preformatted") return <pre>{runs()}</pre>;
  return <div class="line">{runs()}</div>;
}

export const RichText = ({ block }) => <div class="rich">{block.elements.map((each) => <RichPart part={each} />)}</div>;
