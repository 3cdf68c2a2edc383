import { fill } from './fill.ts';
import { formatOf } from './format.ts';
import { type Language, localeOf } from './language.ts';
import type { Strings } from './strings.ts';
import { useText } from './text.tsx';

/** An error as the gateway returns it: a reason with its parameters, and the fields that break rules. */
export interface ShownError {
  readonly code: string;
  /** English. */
  readonly message: string;
  readonly reason?: string | undefined;
  readonly params?: Params | undefined;
  readonly problems?: readonly FieldProblem[] | undefined;
}

export interface FieldProblem {
  readonly field: string;
  readonly reason: string;
  readonly params: Params;
  readonly fix?: string | undefined;
  /** The entry of a batch that the field belongs to. */
  readonly entry?: string | undefined;
}

type Params = Readonly<Record<string, string | number>>;

/** The texts that errors are rendered from. */
export interface ErrorTexts {
  readonly reasons: Strings;
  readonly rules: Strings;
  readonly words: Strings;
}

/** Returns a function that renders errors in the language of the user. `labels` maps fields to their labels in the form. */
export function useErrorText(labels: FieldLabels = {}): (error: ShownError) => string {
  const { t, language, texts, timeZone } = useText();
  return (error) =>
    error.code === 'unreachable' ? t('common.unreachable') : errorText(error, { language, texts, timeZone, labels });
}

/** The same for the problem of one field, to be shown at the field. */
export function useProblemText(labels: FieldLabels = {}): (problem: FieldProblem, place: ProblemPlace) => string {
  const { language, texts, timeZone } = useText();
  const rendering = { language, texts, timeZone, labels };
  return (problem, place) => (place === 'field' ? ruleSentence(problem, rendering) : problemText(problem, rendering));
}

/** A text at the field itself does not name the field. */
type ProblemPlace = 'field' | 'elsewhere';

interface Rendering {
  readonly language: Language;
  readonly texts: ErrorTexts;
  /** In which times are shown. */
  readonly timeZone: string;
  readonly labels?: FieldLabels;
}

export function errorText(error: ShownError, rendering: Rendering): string {
  const { language, texts } = rendering;
  const { problems = [], params = {} } = error;
  const known = texts.reasons[reasonOf(error)];
  const why = known && fill(known, language, shownParams(params, rendering));
  if (problems.length > 0) {
    const sentences = problems.map((problem) => problemText(problem, rendering));
    return joined([...(error.reason === 'invalid_fields' ? [] : [why ?? '']), ...sentences], language);
  }
  if (error.reason !== undefined) return why ?? error.message;
  return textOfCode(error, why, language);
}

/** Model endpoints return only a code and an English message. The contract requires that `access_denied` begins in Chinese. */
function textOfCode({ code, message }: ShownError, why: string | undefined, language: Language): string {
  if (language === 'en') return code === 'access_denied' ? (why ?? message) : message;
  if (why === undefined) return message;
  return hasDetails.has(code) ? `${why} (${message})` : why;
}

/** Codes whose message names the invalid field or parameter. */
const hasDetails: ReadonlySet<string> = new Set(['invalid_request', 'upstream_rejected']);

function reasonOf({ reason, code }: ShownError): string {
  return reason ?? reasonsOfCodes[code] ?? code;
}

/** Codes that differ from the name of their error case. */
const reasonsOfCodes: Readonly<Record<string, string>> = {
  '': 'unparseable_body',
  unknown: 'unparseable_body',
  context_length_exceeded: 'context_overflow',
};

function problemText(problem: FieldProblem, rendering: Rendering): string {
  const { language, labels = {} } = rendering;
  const { field, fix, entry } = problem;
  const text = ruleText(problem, rendering);
  // The user selected entries of a batch by name, so their index in the list says nothing.
  const own = entry === undefined ? field : field.replace(/^\w+\[\d+\]\.?/, '');
  const label = labelOf(own, labels);
  if (language === 'zh') {
    const name = own === '' ? '内容' : (label ?? own);
    return `${entry === undefined ? '' : `${entry}：`}${name}：${text}。`;
  }
  const name = own === '' ? 'The body' : label === undefined ? `\`${own}\`` : `“${label}”`;
  return `${entry === undefined ? '' : `${entry}: `}${name} ${text}.${fix === undefined ? '' : ` ${withLabels(fix, labels)}`}`;
}

/** The rule as a sentence without the name of the field: `Must be text.` */
export function ruleSentence(problem: FieldProblem, rendering: Rendering): string {
  const text = ruleText(problem, rendering);
  return rendering.language === 'zh' ? `${text}。` : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function ruleText({ reason, params }: FieldProblem, rendering: Rendering): string {
  const { language, texts, labels = {} } = rendering;
  const rule = texts.rules[reason];
  return withLabels(rule === undefined ? reason : fill(rule, language, shownParams(params, rendering)), labels);
}

/** Replaces other fields that a rule or its fix names, such as `until`, by their labels. */
function withLabels(text: string, labels: FieldLabels): string {
  return text.replace(/`([^`]+)`/g, (quoted, name: string) => {
    const label = labelOf(name, labels);
    return label === undefined ? quoted : `“${label}”`;
  });
}

/** Parameters with words and times of the user. The server sends the words of the API, and times in UTC. */
function shownParams(params: Params, { language, texts, timeZone }: Rendering): Params {
  const shown = ([name, value]: [string, string | number]): [string, string | number] => {
    if (timeNames.has(name)) return [name, formatOf(localeOf(language), timeZone).dateTime(value)];
    const word = wordNames.has(name) ? texts.words[value] : undefined;
    return [name, word ? fill(word, language, {}) : value];
  };
  return Object.fromEntries(Object.entries(params).map(shown));
}

const wordNames: ReadonlySet<string> = new Set(['kind', 'scope', 'period']);
const timeNames: ReadonlySet<string> = new Set(['time', 'resets_at']);

function joined(sentences: readonly string[], language: Language): string {
  return sentences.filter((sentence) => sentence !== '').join(language === 'zh' ? '' : ' ');
}

/**
 * Labels of a form by the API's names of the fields. A nested field has its full path, with `[]` for a position in a list,
 * such as `routes[].weight`. `{0}` in the label is replaced by that position, counted from 1.
 */
export type FieldLabels = Readonly<Record<string, string>>;

/** Returns the label of a field such as `models[2]` or `routes[0].weight`, or undefined if the form has none. */
export function labelOf(field: string, labels: FieldLabels): string | undefined {
  const positions: number[] = [];
  const name = field.replace(/[.[](\d+)\]?(?=[.[]|$)/g, (_step, index: string) => {
    positions.push(Number(index) + 1);
    return '[]';
  });
  const labelled = (path: string) =>
    Object.hasOwn(labels, path)
      ? labels[path]?.replace(/\{(\d)\}/g, (braces, index: string) => String(positions[Number(index)] ?? braces))
      : undefined;
  const label = labelled(name) ?? labelOfName(name, labelled);
  if (label !== undefined || !name.endsWith('[]')) return label;
  // An entry of a list has the label of the list and its position.
  const list = labelled(name.slice(0, -'[]'.length));
  return list === undefined ? undefined : `${list} ${positions.at(-1)}`;
}

/** An entry of a map, such as `price.provider_tools.web_search`, has the label of the map and its name. */
function labelOfName(path: string, labelled: (path: string) => string | undefined): string | undefined {
  const [, map = '', name = ''] = /^(.+)\.([^.]+)$/.exec(path) ?? [];
  const label = labelled(`${map}.*`);
  return label === undefined ? undefined : `${label} ${name}`;
}
