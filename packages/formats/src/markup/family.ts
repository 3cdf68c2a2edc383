import type { MarkupFamilyName } from '../chat/tool-formats.ts';
import { type BraceCalls, braceCalls } from './brace-calls.ts';
import type { Channels, ChannelSpan } from './channels.ts';
import { type HeaderCalls, headerCalls } from './header-calls.ts';
import { type JsonCalls, jsonCalls } from './json-calls.ts';
import { type PythonicCalls, pythonicCalls } from './pythonic-calls.ts';
import type { MarkupEngine } from './reading.ts';
import { type TaggedCalls, taggedCalls } from './tagged-calls.ts';

/** The markup that one family of models writes instead of structured answers. A new family is one such row. */
export interface MarkupFamily {
  readonly id: MarkupFamilyName;
  readonly models?: RegExp;
  readonly calls?: readonly CallForm[];
  readonly spans?: readonly SpanForm[];
  readonly channels?: ChannelForm;
  /** The prompt opens the reasoning, so the text begins inside it. */
  readonly thinksFirst?: true;
}

export interface CallForm {
  readonly openers: readonly string[];
  /** `token` does not occur by accident, `xml` may be an example in code, `bare` must name an offered tool. */
  readonly strength: 'token' | 'xml' | 'bare';
  /** Where it counts: anywhere, or only at the beginning of the answer or directly after markup. */
  readonly place: 'anywhere' | 'start';
  /** Looked for only if this family is the format. `json`: also if the request requires a call. */
  readonly weak?: true | 'json';
  /** The opener is part of the text that the engine reads. */
  readonly keep?: true;
  /** The opener begins a code block. Inside a code block it ends that block instead. */
  readonly opensFence?: true;
  /** Its ids have nine letters and digits. Other ids confuse the model. */
  readonly shortIds?: true;
  /** Marks that may remain after its calls. */
  readonly closes: readonly string[];
  readonly engine: MarkupEngine;
}

/** Text between two marks. The text has another destination, or only the marks are dropped. */
export interface SpanForm extends ChannelSpan {
  readonly opens: readonly string[];
  readonly weak?: true;
  /** Its openers are ordinary words: the text is reasoning only if a mark ends it. */
  readonly isDoubtful?: true;
  readonly anywhere?: true;
  /** It counts for every family, but only if its opener begins no other markup. */
  readonly isLast?: true;
}

export interface ChannelForm extends Channels {
  readonly opens: readonly string[];
  /** Openers that count only for this family. With them a message begins in the middle of its header. */
  readonly weakOpens?: readonly string[];
}

type Opener = Pick<CallForm, 'openers'> &
  Partial<Pick<CallForm, 'strength' | 'place' | 'weak' | 'keep' | 'shortIds' | 'opensFence'>>;

export function json(form: Opener & JsonCalls): readonly CallForm[] {
  return [createCallForm(form, form.closes, jsonCalls(form))];
}

export function header(form: Omit<Opener, 'openers'> & HeaderCalls): readonly CallForm[] {
  const openers = [...(form.sections ?? []), ...form.begins];
  return [createCallForm({ ...form, openers }, [...form.ends, ...(form.sectionEnds ?? [])], headerCalls(form))];
}

/** Call forms of tags: one with the wrapper and, if `alone` is given, one without it. */
export function tagged({
  alone = [],
  strength = 'xml',
  aloneStrength = 'bare',
  ...form
}: TaggedCalls & {
  /** The openers of a call without its wrapper. */
  readonly alone?: readonly string[];
  readonly strength?: CallForm['strength'];
  readonly aloneStrength?: CallForm['strength'];
}): readonly CallForm[] {
  const engine = taggedCalls(form);
  const wrapped = createCallForm({ openers: form.wrappers, strength }, form.wrapperCloses, engine);
  const bare = createCallForm({ openers: alone, strength: aloneStrength, keep: true }, form.wrapperCloses, engine);
  return alone.length > 0 ? [wrapped, bare] : [wrapped];
}

export function pythonic(form: Opener & PythonicCalls): readonly CallForm[] {
  return [createCallForm(form, form.closes, pythonicCalls(form))];
}

export function brace(form: BraceCalls): readonly CallForm[] {
  return [createCallForm({ openers: form.begins }, form.closes, braceCalls(form))];
}

function createCallForm(opener: Opener, closes: readonly string[], engine: MarkupEngine): CallForm {
  const { openers, strength = 'token', place = 'anywhere', weak, keep, shortIds, opensFence } = opener;
  return { openers, strength, place, weak, keep, shortIds, opensFence, closes, engine };
}
