// Builds the page: npm install && npm run build. What others wrote stays in files of its own, so that each can be named
// with origin, licence and hash (../built/third_party.json); the page's own code and style are bundled beside them.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, rmSync, writeFileSync, copyFileSync, mkdirSync } from "node:fs";
import { build } from "esbuild";

const OUT = "../built";
const THIRD_PARTY = {
  "preact.js": { package: "preact", entry: 'export * from "preact"; export * from "preact/hooks";' },
  "mrkdwn.js": { package: "slack-message-parser", entry: 'export { parse, NodeType } from "slack-message-parser";' },
};
const BESIDE = { preact: "./preact.js", "preact/hooks": "./preact.js", "slack-message-parser": "./mrkdwn.js" };
const common = { bundle: true, minify: true, format: "esm", target: "es2022", charset: "utf8", logLevel: "warning" };
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);

const listed = [];
const licences = [];
for (const [file, { package: name, entry }] of Object.entries(THIRD_PARTY)) {
  const stdin = { contents: entry, resolveDir: ".", sourcefile: file };
  await build({ ...common, stdin, outfile: `${OUT}/${file}`, legalComments: "none" });
  const about = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  const origin = (about.repository.url ?? about.repository).replace(/^git\+/, "").replace(/\.git$/, "");
  listed.push({
    file,
    name,
    version: about.version.replace(/^v/, ""),
    licence: about.license,
    origin: origin.includes("://") ? origin : `https://github.com/${origin}`,
    sha256: sha256(readFileSync(`${OUT}/${file}`)),
  });
  licences.push(`${name} ${about.version.replace(/^v/, "")}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`);
}

const beside = {
  name: "beside",
  setup(plugins) {
    plugins.onResolve({ filter: /^(preact|slack-message-parser)/ }, ({ path }) => ({ path: BESIDE[path], external: true }));
  },
};
await build({
  ...common,
  entryPoints: { page: "main.jsx" },
  outdir: OUT,
  jsx: "transform",
  jsxFactory: "h",
  jsxFragment: "Fragment",
  inject: ["./jsx.js"],
  plugins: [beside],
});
await build({ ...common, entryPoints: { page: "page.css" }, outdir: OUT });
for (const name of ["page.html", "icon.svg"]) copyFileSync(name, `${OUT}/${name}`);
writeFileSync(`${OUT}/licences.txt`, licences.join("\n" + "-".repeat(80) + "\n\n"));
writeFileSync(`${OUT}/third_party.json`, JSON.stringify(listed, null, 2) + "\n");

// What the built files were made from, so that a test without Node sees when they have fallen behind.
const own = readdirSync(".").filter((name) => /\.(jsx?|mjs|css|html|svg|json)$/.test(name) && name !== "package-lock.json");
const sources = Object.fromEntries(own.sort().map((name) => [name, sha256(readFileSync(name, "utf8").replaceAll("\r\n", "\n"))]));
writeFileSync(`${OUT}/sources.json`, JSON.stringify(sources, null, 2) + "\n");
