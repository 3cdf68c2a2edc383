/** The stylesheet of the documentation page: system fonts, light and dark, one column on a phone. */
export const docsStyle = `
:root {
  color-scheme: light dark;
  --page: light-dark(#fdfdfc, #14171a);
  --panel: light-dark(#f5f6f4, #1b1f23);
  --line: light-dark(#e3e5e1, #2b3137);
  --text: light-dark(#23282d, #d9dee2);
  --strong: light-dark(#0e1216, #f3f6f8);
  --soft: light-dark(#5c656d, #97a2ab);
  --accent: light-dark(#0b6b63, #63c7bb);
  --accent-panel: light-dark(#e3f2ef, #17312f);
  --string: light-dark(#7a4a12, #d8b07c);
  --value: light-dark(#7b3fa0, #c39be0);
  --post: light-dark(#1f5ea8, #86b8f0);
  --post-panel: light-dark(#e6eff9, #1a2a3c);
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", sans-serif;
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.65 var(--sans); overflow-wrap: break-word; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -100vw; top: 0; padding: 0.5rem 1rem; background: var(--page); z-index: 2; }
.skip:focus { left: 0; }

.layout { display: grid; grid-template-columns: 17.5rem minmax(0, 1fr); }
.side { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 2rem 1rem 2rem 1.5rem; border-right: 1px solid var(--line); font-size: 0.9rem; }
.brand { margin: 0 0 1.5rem 0.6rem; font-weight: 650; font-size: 1.05rem; color: var(--strong); letter-spacing: -0.01em; }
.brand small { display: block; font-weight: 400; font-size: 0.8rem; color: var(--soft); letter-spacing: 0; }
.side ul { list-style: none; margin: 0; padding: 0; }
.side a { display: block; padding: 0.28rem 0.6rem; border-radius: 6px; color: var(--text); text-decoration: none; }
.side a:hover { background: var(--panel); color: var(--strong); }
.side a[aria-current] { background: var(--accent-panel); color: var(--accent); }
.side ul ul { margin: 0.15rem 0 0.5rem; }
.side ul ul a { display: flex; gap: 0.6rem; align-items: baseline; font: 0.8rem/1.6 var(--mono); padding-left: 0.6rem; }

main { width: 100%; max-width: 58rem; padding: 3rem 3rem 6rem; margin: 0 auto; }
h1, h2, h3, h4 { color: var(--strong); line-height: 1.25; letter-spacing: -0.015em; font-weight: 650; text-wrap: balance; }
h1 { font-size: 2.1rem; margin: 0 0 1rem; }
h2 { font-size: 1.45rem; margin: 0 0 1rem; }
h3 { font-size: 1.15rem; margin: 0 0 0.75rem; }
h4 { font-size: 0.95rem; margin: 2rem 0 0.6rem; letter-spacing: 0; }
p { margin: 0 0 1rem; max-width: 44rem; }
section { margin-top: 4rem; }
section section { margin-top: 1.5rem; }
section section + section { margin-top: 3rem; padding-top: 2.5rem; border-top: 1px solid var(--line); }
.lead { font-size: 1.12rem; line-height: 1.7; }
.facts { display: flex; flex-wrap: wrap; gap: 0.5rem 2.5rem; margin: 1.75rem 0 0; padding: 0; }
.facts div { min-width: 0; }
.facts dt { color: var(--soft); font-size: 0.8rem; }
.facts dd { margin: 0; }

code { font-family: var(--mono); font-size: 0.875em; }
p code, li code, td code, dd code, summary code { background: var(--panel); border-radius: 4px; padding: 0.1em 0.35em; }
.code { margin: 0 0 1.5rem; }
.code figcaption { display: flex; justify-content: space-between; align-items: end; min-height: 1.85rem; padding-bottom: 0.35rem; font-size: 0.85rem; color: var(--soft); }
pre { margin: 0; padding: 1rem 1.15rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; font: 0.84rem/1.6 var(--mono); tab-size: 2; }
pre code { font-size: inherit; }
pre.stream { white-space: pre-wrap; overflow-wrap: anywhere; }
.key, .word { color: var(--accent); }
.string { color: var(--string); }
.value { color: var(--value); }
.comment { color: var(--soft); }
.copy { padding: 0 0.55rem; border: 1px solid var(--line); border-radius: 6px; background: none; color: var(--soft); font: 0.78rem/1.55 var(--sans); cursor: pointer; }
.copy:hover { color: var(--strong); border-color: var(--soft); }

.method { display: inline-block; font: 650 0.72rem/1.5 var(--mono); letter-spacing: 0.04em; padding: 0.1rem 0.45rem; border-radius: 4px; color: var(--accent); background: var(--accent-panel); }
.method.post { color: var(--post); background: var(--post-panel); }
.side .method { flex: none; width: 2.9rem; padding: 0 0.2rem; text-align: center; font-size: 0.66rem; }
.endpoint-name { display: flex; flex-wrap: wrap; gap: 0.3rem 0.75rem; align-items: center; font-family: var(--mono); letter-spacing: -0.02em; overflow-wrap: anywhere; }
.summary { font-size: 1.05rem; color: var(--strong); }

.table { overflow-x: auto; margin: 0 0 1.5rem; }
table { width: 100%; border-collapse: collapse; font-size: 0.9rem; line-height: 1.5; }
th, td { text-align: left; vertical-align: top; padding: 0.6rem 1.25rem 0.6rem 0; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
td code { white-space: break-spaces; }
thead th { color: var(--soft); font-weight: 500; font-size: 0.8rem; padding-top: 0; }
tbody th { font-weight: 400; }
tbody th code { background: none; padding: 0; color: var(--strong); overflow-wrap: anywhere; }
tbody th .path { color: var(--soft); }
th.group { padding-top: 1.8rem; font-size: 0.88rem; color: var(--soft); }
th.group code { font-weight: 650; }
.fields { table-layout: fixed; }
.fields thead th:nth-child(1) { width: 28%; }
.fields thead th:nth-child(2) { width: 19%; }
.fields.request thead th:nth-child(3) { width: 14%; }
.fields.answer thead th:nth-child(1) { width: 34%; }
.required { display: block; font-size: 0.75rem; color: var(--accent); }
.limit { display: block; font-size: 0.8rem; color: var(--soft); overflow-wrap: anywhere; }
.limit code { background: none; padding: 0; }
.none { color: var(--soft); }
.errors { table-layout: fixed; }
.errors thead th:nth-child(1) { width: 24%; }
.errors .status { display: block; font: 650 0.9rem/1.5 var(--mono); color: var(--strong); }
.errors .type { display: block; font-size: 0.8rem; color: var(--soft); }
.headers code { white-space: nowrap; }
.statuses { display: flex; flex-wrap: wrap; gap: 0.4rem; list-style: none; padding: 0; margin: 0 0 1rem; }
.statuses a { display: block; padding: 0.05rem 0.55rem; border: 1px solid var(--line); border-radius: 999px; font: 0.8rem/1.6 var(--mono); text-decoration: none; }
.statuses a:hover { border-color: var(--accent); }
details { margin: 0 0 1.5rem; border: 1px solid var(--line); border-radius: 8px; }
summary { padding: 0.6rem 1rem; cursor: pointer; font-size: 0.92rem; color: var(--strong); }
details[open] summary { border-bottom: 1px solid var(--line); }
details .table { padding: 1rem 1rem 0; margin-bottom: 0.5rem; }
details tbody:last-child tr:last-child > * { border-bottom: 0; }
.notes { padding: 0; margin: 0; list-style: none; display: grid; gap: 1.25rem; max-width: 44rem; }
.notes strong { display: block; color: var(--strong); font-weight: 600; }
footer { margin-top: 5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.85rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

@media (max-width: 60rem) {
  html { scroll-padding-top: 4rem; }
  .layout { display: block; }
  .side { height: auto; padding: 0; border-right: 0; border-bottom: 1px solid var(--line); background: var(--page); z-index: 1; overflow: visible; }
  .brand, .side ul ul { display: none; }
  .side > ul { display: flex; overflow-x: auto; padding: 0.5rem 0.75rem; gap: 0.15rem; scrollbar-width: none; }
  .side li { flex: none; }
  main { padding: 2rem 1.25rem 4rem; }
  h1 { font-size: 1.75rem; }
  section { margin-top: 3rem; }
}
@media (max-width: 40rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, tbody th, td { display: block; width: auto !important; }
  tbody tr { padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
  tbody th, td { padding: 0.1rem 0; border: 0; }
  th.group { padding: 0.75rem 0 0; }
  td.default::before { content: "Default "; color: var(--soft); font-size: 0.8rem; }
  td.default:has(.none) { display: none; }
  th .required, th .limit { display: inline; margin-left: 0.5rem; }
  .fields td:nth-child(2) { color: var(--soft); font-size: 0.85rem; }
  .errors td + td::before { content: "What to do: "; color: var(--soft); }
}
@media print { .side, .copy { display: none; } .layout { display: block; } }
`;
