// The page's way to its server: relative addresses, so that the secret in the page's own address goes along.

export async function fetchScreen({ who, place, thread }, signal) {
  const asked = new URLSearchParams({ as: who, in: place, thread });
  const reply = await fetch(`state?${asked}`, { signal });
  const screen = await reply.json();
  if (!reply.ok) throw new Refused(screen.error, screen.said);
  return screen;
}

export class Refused extends Error {
  constructor(code, said) {
    super(said || code);
    this.code = code;
  }
}

export async function act(who, what, parts = {}) {
  const reply = await fetch("act", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ as: who, what, ...parts }),
  });
  const came = await reply.json();
  if (!reply.ok) throw new Refused(came.error, came.said);
  return came;
}

export function onChange(told) {
  const changes = new EventSource("changes");
  changes.onmessage = told;
  changes.onerror = told; // the playground may have ended: asking it says so
  return () => changes.close();
}

// What Slack itself says in such a case, in a sentence.
const SAID = {
  account_inactive: "That account is deactivated.",
  already_in_channel: "They are in this channel already.",
  cant_delete_message: "Only its author or an admin can delete this message.",
  cant_update_message: "Only its author can edit this message.",
  command_in_thread: "Slash commands don't work in threads. Mention @Backstory here instead.",
  invalid_name: "There is no such emoji.",
  is_archived: "This channel is archived.",
  message_not_found: "That message is gone.",
  method_not_supported_for_channel_type: "One must be invited into a private channel.",
  missing_input: "Please fill in what is required.",
  no_text: "There is nothing to send.",
  not_found: "That is not open any more.",
  not_in_channel: "You are not in this channel.",
  operation_timeout: "The app did not answer within three seconds.",
  unknown_command: "There is no such command. Messages that begin with “/” are commands.",
  user_is_restricted: "Guests must be invited.",
  user_not_found: "There is nobody of that name.",
};

export const sentence = (error) => SAID[error.code] ?? (error.code ? `Slack said: ${error.code}` : "The playground has ended.");
