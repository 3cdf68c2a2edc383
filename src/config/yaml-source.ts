import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  type YAMLError,
} from 'yaml';
import { type Environment, expandVariables } from './environment.ts';
import type { Path, Problem } from './problem.ts';

/** A YAML text as data, with the way back from a path in the data to the line it came from. */
export interface YamlSource {
  readonly data: unknown;
  readonly problems: readonly Problem[];
  /** Whether the text is YAML at all; if not, the data is what the parser made of the rest. */
  readonly readable: boolean;
  /** Where the value stands, or its name; where something is missing, what it is missing from. */
  position(path: Path, atName?: boolean): Pick<Problem, 'line' | 'column'>;
  /** How the value at this path got here, where that matters for judging it. */
  origin(path: Path): 'written' | 'environment' | 'unresolved';
}

/** Aliases expand while reading; a handful of nested ones could otherwise grow to billions of values. */
const aliasesMax = 100;

/** Reads YAML and fills in `${NAME}`. Names without a value count as not said, as an emptied section leaves them. */
export function readYaml(text: string, env: Environment): YamlSource {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const place = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problems = syntaxProblems(document, text, place);
  const origins = new Map<Node, 'environment' | 'unresolved'>();
  const originOf = (node: Node | undefined) => (node && origins.get(node)) ?? 'written';
  visit(document, {
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return;
      const { findings, origin } = fillIn(node, env);
      origins.set(node, origin);
      problems.push(...findings.map((finding) => ({ ...place(node.range?.[0] ?? 0), path: '', ...finding })));
    },
  });
  let readable = document.errors.every((error) => error.code === 'DUPLICATE_KEY');
  let data: unknown;
  try {
    data = withoutNulls(document.toJS({ maxAliasCount: aliasesMax }));
  } catch (error) {
    problems.push(unreadable(error));
    readable = false;
  }
  return {
    data,
    problems,
    readable,
    position: (path, atName) => place(nearest(document, path, atName)?.range?.[0] ?? 0),
    origin: (path) => originOf(exact(document, path)),
  };
}

/** One mistake makes the parser stumble over all that follows, so only the first is worth reading. */
function syntaxProblems(document: Document, text: string, place: (offset: number) => { line: number; column: number }) {
  const all: readonly YAMLError[] = [...document.errors, ...document.warnings];
  const doubled = all.filter((error) => error.code === 'DUPLICATE_KEY');
  const first = all.filter((error) => error.code !== 'DUPLICATE_KEY').slice(0, 1);
  return [...first, ...doubled].map((error): Problem => {
    const position = place(error.pos[0]);
    const lineText = text.split('\n')[position.line - 1] ?? '';
    return { ...position, path: '', ...syntaxText(error, lineText) };
  });
}

function syntaxText(error: YAMLError, lineText: string): { message: string; fix: string } {
  if (error.code === 'DUPLICATE_KEY') return { message: 'The name stands here twice.', fix: 'Keep one of the two.' };
  if (error.code === 'TAB_AS_INDENT')
    return { message: 'The line is indented with a tab.', fix: 'Indent with spaces.' };
  if (error.code === 'MULTIPLE_DOCS') {
    return { message: 'The file holds more than one document.', fix: 'Remove this line and what does not belong.' };
  }
  const message = `This is not valid YAML: ${error.message}.`;
  // A `{` ends an unquoted value inside a flow collection; that this is why is hard to guess from the parser's words.
  if (/[[{].*[^"']\$\{/.test(lineText)) return { message, fix: 'Put quotes around each "${NAME}" inside { } or [ ].' };
  return { message, fix: 'Check indentation, colons and quotes here and on the line before.' };
}

function fillIn(node: Scalar, env: Environment) {
  const { text, missing, malformed } = expandVariables(String(node.value), env);
  node.value = text;
  const findings = [
    ...missing.map((name) => ({
      message: `The environment variable ${name} is not set.`,
      fix: `Set ${name} before starting the gateway, or write the value here. A literal \${ is written $\${.`,
    })),
    ...malformed.map((name) => ({
      message: `\${${name.slice(0, 64)}} does not name an environment variable.`,
      fix: 'Write ${NAME} with letters, digits and _ only. A literal ${ is written $${.',
    })),
  ];
  return { findings, origin: findings.length > 0 ? ('unresolved' as const) : ('environment' as const) };
}

function unreadable(error: unknown): Problem {
  const deep = error instanceof RangeError;
  return {
    line: 1,
    column: 1,
    path: '',
    message: deep ? 'The file is nested too deeply.' : 'The file uses anchors and aliases too much or wrongly.',
    fix: deep ? 'Nest less.' : 'Write repeated parts out, or check that every *alias has its &anchor.',
  };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const said = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(said.map(([name, inner]) => [name, withoutNulls(inner)]));
}

function exact(document: Document, path: Path): Node | undefined {
  let node: unknown = document.contents;
  for (const step of path) node = child(document, node, step)?.value;
  if (isAlias(node)) return node.resolve(document);
  return isNode(node) ? node : undefined;
}

/** The node at the path or, where the path leads beyond what is written, the last one on the way. */
function nearest(document: Document, path: Path, atName = false): Node | undefined {
  let node: Node | undefined = document.contents ?? undefined;
  for (const [index, step] of path.entries()) {
    const next = child(document, node, step);
    if (atName && index === path.length - 1 && isNode(next?.name)) return next.name;
    if (!isNode(next?.value)) return isNode(next?.name) ? next.name : node;
    node = next.value;
  }
  return node;
}

function child(
  document: Document,
  parent: unknown,
  step: string | number,
): { name?: unknown; value: unknown } | undefined {
  const node = isAlias(parent) ? parent.resolve(document) : parent;
  if (isSeq(node)) return { value: node.items[Number(step)] };
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
  return pair && { name: pair.key, value: pair.value };
}
