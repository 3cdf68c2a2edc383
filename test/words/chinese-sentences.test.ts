import { beforeAll, expect, test } from 'vitest';
import { cases } from '../../dashboard/src/strings/cases.ts';
import { errorWords, loadErrorWords } from '../../dashboard/src/text/error-words.ts';
import { type ErrorCase, errorTable } from '../../src/core/error-table.ts';
import { fieldOf, hole, read, sentencesOn, type Way } from './sentences.ts';
import { type Source, type SourceNode, sourcesIn } from './source-text.ts';

/** What the APIs behind the dashboard are made of. */
const folders = [
  'src/accounts',
  'src/admin',
  'src/billing',
  'src/catalog',
  'src/codes',
  'src/config',
  'src/console',
  'src/deliveries',
  'src/notices',
  'src/payments',
];

/** What is told of the configuration file only, to whoever starts a gateway. */
const ofTheFile =
  /^src\/config\/(load|yaml-\w+|watch|egress|environment|certificates|fallback-circles|telemetry|trace-settings|sections|workers)\.ts$|apply-file|file-/;

let sources: ReadonlyMap<string, Source>;

beforeAll(async () => {
  sources = new Map([...sourcesIn(folders)].filter(([path]) => !ofTheFile.test(path)));
  await loadErrorWords('zh');
});

test('every case of the error table has Chinese words', () => {
  const codes = Object.values(errorTable).map(({ code }) => code);
  // Codes to redeem are refused under the name of the reason.
  const reasons = keysOf(sources.get('src/codes/redeem.ts')?.bound.get('refusals')).map((reason) => `code_${reason}`);
  expect(reasons.length, 'reasons were found').toBeGreaterThan(5);
  const all = [...codes.filter((code) => code !== 'code_refused'), ...reasons];
  expect(all.filter((code) => errorWords({ code, message: 'x' }, 'zh') === 'x')).toEqual([]);
});

test('every case that a request can end with has a name', () => {
  const steps = new Set(['connection', 'key', 'body', 'model', 'inference']);
  const recorded = Object.entries(errorTable).filter(([, { guide }]) => steps.has(guide.step));
  expect(recorded.map(([name]) => name).filter((name) => !(name in cases))).toEqual([]);
});

test('every sentence that a refusal of an API is made of has Chinese words', () => {
  const ways: readonly Way[] = [
    { call: 'GatewayError', argument: 1, field: 'detail' },
    { call: 'ResourceError', argument: 0, as: (text, call) => `${text} ${fixOf(call)}` },
    { call: 'accepted', argument: 1 },
  ];
  const found = sentencesOn(ways, sources).filter(({ path }) => !elsewhere.has(path));
  const unsaid = new Set(found.filter(({ text }) => isUnsaid(text)).map(({ path }) => path));
  expect(unsaid, 'only rules and refused resources, which are looked at by themselves').toEqual(
    new Set(['src/admin/sent-values.ts', 'src/admin/serve-endpoint.ts']),
  );
  const said = found.filter(({ text }) => !isUnsaid(text));
  expect(said.length, 'sentences were found').toBeGreaterThan(80);
  const unknown = said.filter(({ text, call }) => !hasWords(codeOf(call), text));
  expect(unknown.map(({ path, text }) => `${path}: ${shown(text)}`)).toEqual([]);
});

test('every rule that a value can break has Chinese words', () => {
  const rules = [...rulesOfSchemas(), ...rulesOfFindings()];
  expect(rules.length, 'rules were found').toBeGreaterThan(60);
  const unknown = rules.filter(({ text }) => !hasWords('invalid_request', `\`field\` ${text}. Correct it.`));
  expect(unknown.map(({ path, text }) => `${path}: ${shown(text)}`)).toEqual([]);
});

/** What refuses with rules, reasons and codes that are looked at by themselves, or refuses no person but a provider. */
const elsewhere: ReadonlySet<string> = new Set([
  'src/catalog/resource-error.ts',
  'src/codes/redeem.ts',
  'src/payments/stripe.ts',
]);

/** Nothing of it is written down where it is said. */
function isUnsaid(text: string): boolean {
  return text.replaceAll(hole, '').trim() === '';
}

function keysOf(node: SourceNode | undefined): readonly string[] {
  const written = (node?.['expression'] as SourceNode | undefined) ?? node;
  const properties = (written?.['properties'] ?? []) as SourceNode[];
  return properties.map(({ key }) => String((key as SourceNode)['name'] ?? (key as SourceNode)['value']));
}

/** Whether a reader of Chinese is told in Chinese, whatever stands in the holes. */
function hasWords(code: string, text: string): boolean {
  return ['7', 'x', 'a', '`x`'].some((value) => {
    const message = text.replaceAll(hole, value);
    const words = errorWords({ code, message }, 'zh');
    return !words.includes(message) && words !== '';
  });
}

function shown(text: string): string {
  return text.replaceAll(hole, '…');
}

/** The code of the case that an error is made with; what is handed on is a refusal of what was sent. */
function codeOf(call: SourceNode): string {
  if ((call['callee'] as SourceNode)['name'] === 'accepted') return 'sign_in_refused';
  const named = (call['arguments'] as SourceNode[])[0]?.['value'];
  return typeof named === 'string' && named in errorTable ? errorTable[named as ErrorCase].code : 'invalid_request';
}

function fixOf(call: SourceNode): string {
  const given = (call['arguments'] as SourceNode[])[1];
  return given?.type === 'Literal' ? String(given['value']) : '';
}

interface Rule {
  readonly path: string;
  readonly text: string;
}

const checks = new Set(['refine', 'regex', 'min', 'max', 'email', 'url', 'string', 'custom', 'check', 'int', 'length']);

/** What schemas say in words of their own, and the words for all others. */
function rulesOfSchemas(): readonly Rule[] {
  return [...sources.values()].flatMap((source) =>
    source.nodes.flatMap(({ node, inside }): Rule[] => {
      const texts = (given: SourceNode) => read(given, { source, sources, inside, depth: 0 }).texts;
      const rules = (given: SourceNode | undefined) =>
        given
          ? texts(given)
              .filter((text) => text !== hole)
              .map((text) => ({ path: source.path, text }))
          : [];
      if (source.path.endsWith('config/wording.ts') && node.type === 'ReturnStatement' && node['argument']) {
        return rules(node['argument'] as SourceNode).filter(
          ({ text }) => text.startsWith('must be') || text.startsWith('has'),
        );
      }
      if (node.type !== 'CallExpression') return [];
      const callee = node['callee'] as SourceNode;
      const method = (callee['property'] as SourceNode | undefined)?.['name'] as string | undefined;
      if (method === 'addIssue') return rules(fieldOf((node['arguments'] as SourceNode[])[0] as SourceNode, 'message'));
      if (method === undefined || !checks.has(method)) return [];
      const last = (node['arguments'] as SourceNode[]).at(-1);
      if (!last) return [];
      const spoken = last.type === 'ObjectExpression' ? (fieldOf(last, 'error') ?? fieldOf(last, 'message')) : last;
      return rules(spoken).filter(({ text }) => / /.test(text));
    }),
  );
}

/** What is found by other means than a schema. */
function rulesOfFindings(): readonly Rule[] {
  return [...sources.values()].flatMap((source) =>
    source.nodes.flatMap(({ node, inside }): Rule[] => {
      if (node.type !== 'ObjectExpression' || !fieldOf(node, 'fix')) return [];
      const message = fieldOf(node, 'message');
      if (!message) return [];
      const { texts } = read(message, { source, sources, inside, depth: 0 });
      return texts.filter((text) => text !== hole).map((text) => ({ path: source.path, text }));
    }),
  );
}
