import { families } from './families.ts';
import type { CallForm, ChannelForm, MarkupFamily, SpanForm } from './family.ts';
import { Trie } from './trie.ts';
import { wordSet } from '../wire-value.ts';

export type GrammarMark =
  | { readonly kind: 'call'; readonly form: CallForm; readonly literal: string }
  | { readonly kind: 'span'; readonly form: SpanForm; readonly literal: string }
  | { readonly kind: 'channel'; readonly form: ChannelForm; readonly literal: string; readonly isWeak: boolean }
  /** `isMessageEnd` if it ends messages that have headers. */
  | { readonly kind: 'close'; readonly literal: string; readonly isMessageEnd: boolean }
  /** A remainder of a call whose end has already been read. */
  | { readonly kind: 'leftover' }
  /** A mark that ends a model's answer, if the provider does not remove it. */
  | { readonly kind: 'end-of-text' };

/** The marks that one reader looks for: the strong marks of every family, and the weak marks of its own. */
export interface Grammar {
  readonly tries: readonly Trie<GrammarMark>[];
  /** The characters with which a mark may begin. */
  readonly firsts: readonly number[];
  /** Marks that may end reasoning whose beginning is not in the text. */
  readonly reasoningCloses: readonly string[];
  /** Whether its family writes messages with headers. If so, headers count anywhere in the text. */
  readonly hasChannels: boolean;
}

export type ToolFormat = 'auto' | 'off' | (string & {});

export function toolFormatOf(model: string): ToolFormat {
  const known = formatsByModel.get(model);
  if (known !== undefined) return known;
  const format = families.find(({ models }) => models?.test(model))?.id ?? 'auto';
  formatsByModel.set(model, format);
  return format;
}

/** Every request looks up its format. It stays small: its keys are the models of the catalog's routes. */
const formatsByModel = new Map<string, ToolFormat>();

export function thinksFirst(format: ToolFormat): boolean {
  return families.some(({ id, thinksFirst }) => id === format && thinksFirst === true);
}

/** The grammar of a format. `json` adds calls without any mark, for answers that must be calls. */
export function grammarOf(format: ToolFormat, options: { readonly json: boolean }): Grammar {
  return pinned.get(format)?.[options.json ? 'json' : 'standard'] ?? (options.json ? autoWithJson : auto);
}

const endsOfText = wordSet(`
  </s> <|im_end|> <|eot_id|> <|eom_id|> <|end_of_text|> <|endoftext|> <|end|> <|return|> <|call|> <|eom|>
  <|eot|> <eos> <end_of_turn> <turn|> <｜end▁of▁sentence｜> <|END_OF_TURN_TOKEN|> <|observation|> <|user|> <[e~[
`);

const strongCalls = new Set(families.flatMap(({ calls = [] }) => calls.filter(({ weak }) => weak === undefined)));
const strongSpans = new Set(families.flatMap(({ spans = [] }) => spans.filter(({ weak, isLast }) => !weak && !isLast)));
const lastSpans = families.flatMap(({ spans = [] }) => spans.filter(({ isLast }) => isLast));
const allChannels = families.flatMap(({ channels }) => channels ?? []);
const strongChannels = allChannels.filter(
  ({ opens }, index) => allChannels.findIndex((form) => form.opens === opens) === index,
);
const strongMarks = strongTrie();
const strongFirsts = [
  ...firstsAnywhere([...strongCalls], [...strongSpans]),
  ...[...endsOfText, ...strongChannels.flatMap(({ opens }) => opens)].map((literal) => literal.charCodeAt(0)),
];
const reasoningCloses = [
  ...new Set(
    families.flatMap(({ spans = [] }) =>
      spans.flatMap(({ sink, closes, weak }) => (sink === 'reasoning' && !weak ? closes : [])),
    ),
  ),
];
const bareForms = new Set(families.flatMap(({ calls = [] }) => calls.filter(({ weak }) => weak === 'json')));

const auto = grammar([], []);
const autoWithJson = grammar([], [...bareForms]);
const pinned = new Map<ToolFormat, PinnedGrammars>(
  families.filter(hasWeak).map((family) => [family.id, pinnedGrammars(family)]),
);

function hasWeak({ calls = [], spans = [], channels }: MarkupFamily): boolean {
  return channels?.weakOpens !== undefined || [...calls, ...spans].some(({ weak }) => weak !== undefined);
}

interface PinnedGrammars {
  readonly standard: Grammar;
  readonly json: Grammar;
}

function pinnedGrammars(family: MarkupFamily): PinnedGrammars {
  const own = (family.calls ?? []).filter(({ weak }) => weak !== undefined);
  return { standard: grammar([family], own), json: grammar([family], [...new Set([...own, ...bareForms])]) };
}

function strongTrie(): Trie<GrammarMark> {
  const trie = new Trie<GrammarMark>();
  for (const form of strongCalls) addCall(trie, form);
  for (const form of strongSpans) addSpan(trie, form);
  for (const form of strongChannels) addChannel(trie, form, form.opens, false);
  const closes = new Set([...strongCalls].flatMap((form) => form.closes));
  for (const literal of closes) trie.add(literal, { kind: 'leftover' });
  for (const literal of endsOfText) trie.add(literal, { kind: 'end-of-text' });
  return trie;
}

function addCall(trie: Trie<GrammarMark>, form: CallForm): void {
  for (const literal of form.openers) trie.add(literal, { kind: 'call', form, literal });
}

function addSpan(trie: Trie<GrammarMark>, form: SpanForm): void {
  for (const literal of form.opens) trie.add(literal, { kind: 'span', form, literal });
  for (const literal of form.closes) trie.add(literal, { kind: 'close', literal, isMessageEnd: false });
}

function addChannel(trie: Trie<GrammarMark>, form: ChannelForm, opens: readonly string[], isWeak: boolean): void {
  for (const literal of opens) trie.add(literal, { kind: 'channel', form, literal, isWeak });
  for (const literal of form.closes) trie.add(literal, { kind: 'close', literal, isMessageEnd: true });
}

function grammar(own: readonly MarkupFamily[], weakCalls: readonly CallForm[]): Grammar {
  const weak = new Trie<GrammarMark>();
  for (const form of weakCalls) addCall(weak, form);
  const weakSpans = own.flatMap((family) => (family.spans ?? []).filter((form) => form.weak));
  const spans = [...weakSpans, ...lastSpans];
  for (const form of spans) addSpan(weak, form);
  for (const { channels } of own) if (channels?.weakOpens) addChannel(weak, channels, channels.weakOpens, true);
  return {
    tries: [strongMarks, weak],
    firsts: [...new Set([...strongFirsts, ...firstsAnywhere(weakCalls, spans)])],
    hasChannels: own.some(({ channels }) => channels !== undefined),
    reasoningCloses: [...reasoningCloses, ...spans.flatMap(({ sink, closes }) => (sink === 'reasoning' ? closes : []))],
  };
}

/** The first characters of marks that count in the middle of text. Other marks count only at its beginning. */
function firstsAnywhere(calls: readonly CallForm[], spans: readonly SpanForm[]): readonly number[] {
  const openers = calls.filter(({ place }) => place === 'anywhere').flatMap((form) => form.openers);
  const marks = spans.flatMap(({ opens, closes, anywhere: isAnywhere }) =>
    isAnywhere ? [...opens, ...closes] : closes,
  );
  return [...openers, ...marks].map((literal) => literal.charCodeAt(0));
}
