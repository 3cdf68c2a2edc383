import { escapeHtml, type Markup, raw } from './html.ts';

/** Highlights keys, strings, values and comments in JSON, event streams, shell commands and short programs. */
export function highlight(source: string): Markup {
  let text = '';
  let end = 0;
  for (const match of source.matchAll(token)) {
    text += escapeHtml(source.slice(end, match.index)) + paint(match);
    end = match.index + match[0].length;
  }
  return raw(text + escapeHtml(source.slice(end)));
}

const token =
  /(?<comment>(?<=^|\s)(?:#|\/\/) .*$)|(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*"|'[^'\n]*')|(?<value>(?<![\w./-])(?:true|false|null|-?\d+(?:\.\d+)?)\b(?![./]))|(?<word>^data:|^curl\b|\b(?:import|from|const|new|await|for|of)\b)/gm;

function paint(match: RegExpExecArray): string {
  const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ['value'];
  return `<span class="${kind}">${escapeHtml(match[0])}</span>`;
}
