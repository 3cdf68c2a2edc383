import { LineCounter, type Node, parseDocument, type Scalar, visit } from 'yaml';
import { type Environment, expandVariables } from '../environment.ts';
import type { Path, LocatedProblem } from './problem.ts';
import { nearestNode, nodeAt } from './yaml-path.ts';
import { syntaxProblems, unreadable } from './yaml-problems.ts';
import { broken } from 'chat-formats/reasons/reason.ts';

/** A YAML text as data. It maps each path in the data to its line in the text. */
export interface YamlSource {
  readonly data: unknown;
  readonly problems: readonly LocatedProblem[];
  /** Whether the text is valid YAML. If not, the data is only what the parser recovered. */
  readonly readable: boolean;
  /** The position of the value, or of its name. If it is missing, the position of its parent. */
  position(path: Path, isAtName?: boolean): Pick<LocatedProblem, 'line' | 'column'>;
  /** The source of the value at this path. `unresolved` means that a variable in it could not be replaced. */
  origin(path: Path): 'written' | 'environment' | 'unresolved';
}

/** Without a limit, a few nested aliases could expand to billions of values. */
const aliasesMax = 100;

/** Parses YAML and replaces `${NAME}`. Names without a value, as in an empty section, count as left out. */
export function readYaml(text: string, env: Environment): YamlSource {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const positionAt = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problems = syntaxProblems(document, text, positionAt);
  const origins = new Map<Node, 'environment' | 'unresolved'>();
  const originOf = (node: Node | undefined) => (node && origins.get(node)) ?? 'written';
  visit(document, {
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return;
      const { problems: unlocated, origin } = fillIn(node, env);
      origins.set(node, origin);
      problems.push(...unlocated.map((problem) => ({ ...positionAt(node.range?.[0] ?? 0), path: '', ...problem })));
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
    position: (path, isAtName) => positionAt(nearestNode(document, path, isAtName)?.range?.[0] ?? 0),
    origin: (path) => originOf(nodeAt(document, path)),
  };
}

function fillIn(node: Scalar, env: Environment) {
  const { text, missing, malformed } = expandVariables(String(node.value), env);
  node.value = text;
  const problems = [
    ...missing.map((name) => ({
      ...broken('file_variable_not_set', { variable: name }),
      fix: `Set ${name} before starting the gateway, or write the value here. A literal \${ is written $\${.`,
    })),
    ...malformed.map((name) => ({
      ...broken('not_a_variable', { name: name.slice(0, 64) }),
      fix: 'Write ${NAME} with letters, digits and _ only. A literal ${ is written $${.',
    })),
  ];
  return { problems, origin: problems.length > 0 ? ('unresolved' as const) : ('environment' as const) };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(given.map(([name, inner]) => [name, withoutNulls(inner)]));
}
