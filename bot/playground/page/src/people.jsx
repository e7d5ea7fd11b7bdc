// Faces and names.
import { useContext } from "preact/hooks";
import { Reading } from "./text.jsx";

const COLOURS = 8;

export function Avatar({ id, name, app, small }) {
  const { names } = useContext(Reading);
  const shade = Math.max(0, Object.keys(names).indexOf(id)) % COLOURS;
  const initials = (name ?? "?").split(" ").map((word) => word[0]).slice(0, 2).join("");
  return (
    <span class={`avatar ${app ? "app" : `shade-${shade}`} ${small ? "small" : ""}`} aria-hidden="true">{app ? "🔖" : initials}</span>
  );
}

export const KINDS = { owner: "owner", admin: "admin", guest: "guest", external: "other organisation", member: "" };
