// The left side: who one is, the app, channels and direct messages.
import { Item, Popup } from "./menu.jsx";
import { Avatar, KINDS } from "./people.jsx";

const Lock = () => <svg viewBox="0 0 20 20" width="14" height="14" aria-hidden="true"><rect class="dot" x="4.5" y="9" width="11" height="7.5" rx="1.5" /><path d="M6.8 9V7a3.2 3.2 0 0 1 6.4 0v2" /></svg>;

export const Sign = ({ conversation }) => (conversation.private ? <Lock /> : <span class="hash" aria-hidden="true">#</span>);

export function PersonSwitch({ screen, become }) {
  const { me, people } = screen;
  const opener = ({ buttonRef, ...rest }) => (
    <button ref={buttonRef} type="button" class="who" {...rest}>
      <Avatar id={me.id} name={me.name} />
      <span class="names"><small>You are</small><strong>{me.name}</strong></span>
      {KINDS[me.kind] && <span class="kind">{KINDS[me.kind]}</span>}
      <span aria-hidden="true" class="caret">▾</span>
    </button>
  );
  return (
    <Popup label="Be somebody else" opener={opener} className="people">
      {(close) => people.map((each) => (
        <Item checked={each.id === me.id} onChoose={() => { close(); become(each.id); }}>
          <Avatar id={each.id} name={each.name} small /> <span class="name">{each.name}</span> <small>{KINDS[each.kind]}</small>
        </Item>
      ))}
    </Popup>
  );
}

function Row({ place, here, unread, go, children, dim }) {
  return (
    <li>
      <a href={`#${place}`} class={`row ${here ? "here" : ""} ${unread ? "unread" : ""} ${dim ? "dim" : ""}`} aria-current={here ? "page" : undefined} onClick={(event) => { event.preventDefault(); go(place); }}>
        {children}
        {unread && <span class="sr">, new messages</span>}
      </a>
    </li>
  );
}

function walk(event) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const rows = [...event.currentTarget.querySelectorAll("a.row")];
  const at = rows.indexOf(document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  rows[(at + (event.key === "ArrowDown" ? 1 : -1) + rows.length) % rows.length].focus();
}

// What a newcomer does first: questions to put into the field, and where the rest is.
function Try({ questions, put }) {
  return (
    <section class="try" aria-label="Try">
      <h2>Try</h2>
      {questions.map((question) => <button type="button" class="row" onClick={() => put(`/why ${question}`)}>/why {question}</button>)}
      <p>Point at a message that has no 🔖 yet and press it: what its thread decided is kept.</p>
      <p>Be somebody else, at the top: nobody learns what they can’t read.</p>
    </section>
  );
}

export function Sidebar({ screen, place, unread, go, become, theme, turn, shown, put }) {
  const channels = screen.conversations.filter(({ kind, archived }) => kind === "channel" && !archived);
  const directs = screen.conversations.filter(({ kind, id }) => kind !== "channel" && id !== screen.app.direct);
  const row = (each) => (
    <Row place={each.id} here={place === each.id} unread={unread(each)} go={go} dim={!each.member}>
      <Sign conversation={each} /> <span class="name">{each.name}</span>{each.connected && <span class="tag" title="Shared with another organisation">shared</span>}
    </Row>
  );
  const direct = screen.conversations.find(({ id }) => id === screen.app.direct);
  const inApp = place === "home" || place === screen.app.direct;
  const elsewhere = channels.filter(({ member }) => !member);
  return (
    <nav class={`sidebar ${shown ? "shown" : ""}`} aria-label="Conversations" onKeyDown={walk}>
      <div class="top">
        <div class="workspace">
          <strong>{screen.workspace}</strong>
          <button type="button" class="icon" aria-label={theme === "dark" ? "Light colours" : "Dark colours"} title={theme === "dark" ? "Light colours" : "Dark colours"} onClick={turn}>{theme === "dark" ? "☀" : "☾"}</button>
        </div>
        <PersonSwitch screen={screen} become={become} />
      </div>
      <div class="lists">
        <h2>App</h2>
        <ul>
          <Row place="home" here={inApp} unread={!inApp && unread(direct)} go={go}><Avatar app small /> <span class="name">{screen.app.name}</span></Row>
        </ul>
        <h2>Channels</h2>
        <ul>{channels.filter(({ member }) => member).map(row)}</ul>
        {elsewhere.length > 0 && <><h2>Not joined</h2><ul>{elsewhere.map(row)}</ul></>}
        {directs.length > 0 && <><h2>Direct messages</h2><ul>{directs.map((each) => <Row place={each.id} here={place === each.id} unread={unread(each)} go={go}><span class="name">{each.name}</span></Row>)}</ul></>}
        {screen.suggestions.length > 0 && <Try questions={screen.suggestions} put={put} />}
      </div>
      <p class="foot">A pretend Slack on this machine. Nothing leaves it.</p>
    </nav>
  );
}
