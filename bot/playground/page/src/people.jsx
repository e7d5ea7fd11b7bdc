// Faces and names.

const COLOURS = 8;

export function Avatar({ id, name, app, small }) {
  const shade = [...(id ?? "")].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 9973, 7) % COLOURS;
  const initials = (name ?? "?").split(" ").map((word) => word[0]).slice(0, 2).join("");
  return (
    <span class={`avatar ${app ? "app" : `shade-${shade}`} ${small ? "small" : ""}`} aria-hidden="true">{app ? "🔖" : initials}</span>
  );
}

export const KINDS = { owner: "owner", admin: "admin", guest: "guest", external: "other organisation", member: "" };
