// Messages as HTML: reads a JSON list of {name, blocks} and writes NAME.html for each. Run by look_slack.py.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, input, output, theme] = process.argv.slice(2);
const need = createRequire(join(folder, "package.json"));
const { createElement } = need("react");
const { renderToStaticMarkup } = need("react-dom/server");
const { Message } = need("slack-blocks-to-jsx");
const css = readFileSync(join(folder, "node_modules/slack-blocks-to-jsx/dist/style.css"), "utf8");
const logo =
  "data:image/svg+xml," +
  encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="8" fill="#2c3e50"/></svg>');

for (const { name, blocks } of JSON.parse(readFileSync(input, "utf8"))) {
  const message = createElement(Message, {
    blocks,
    logo,
    theme,
    name: "Paperboy",
    time: new Date("2026-07-01T09:00:00Z"),
    data: { users: [{ id: "U1", name: "ada" }], channels: [], user_groups: [] },
  });
  const back = theme === "dark" ? "#1a1d21" : "#ffffff";
  writeFileSync(
    join(output, `${name}.html`),
    `<!doctype html><meta charset="utf-8"><style>${css}
     body{margin:0;padding:12px;background:${back};font-family:Lato,"Noto Sans","DejaVu Sans",sans-serif;font-size:15px}
     *{box-sizing:border-box}</style>${renderToStaticMarkup(message)}`,
  );
}
