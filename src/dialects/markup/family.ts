import { type BraceCalls, braceCalls } from './brace-calls.ts';
import type { Channels, ChannelSpan } from './channels.ts';
import { type HeaderCalls, headerCalls } from './header-calls.ts';
import { type JsonCalls, jsonCalls } from './json-calls.ts';
import { type PythonicCalls, pythonicCalls } from './pythonic-calls.ts';
import type { MarkupEngine } from './reading.ts';
import { type TaggedCalls, taggedCalls } from './tagged-calls.ts';

/** One family of models: what it writes instead of structured answers. A new family is one such row. */
export interface MarkupFamily {
  readonly id: string;
  /** The models that belong to it, by the names providers give them. */
  readonly models?: RegExp;
  readonly calls?: readonly CallForm[];
  readonly spans?: readonly SpanForm[];
  readonly channels?: ChannelForm;
  /** The prompt opens the reasoning, so that the text begins inside it. */
  readonly thinksFirst?: true;
}

/** One way to write calls. */
export interface CallForm {
  readonly openers: readonly string[];
  /**
   * How much an opener proves. `token`: nobody writes it by accident. `xml`: it may be an example, if it stands in
   * code. `bare`: only a tool that was offered makes it a call.
   */
  readonly strength: 'token' | 'xml' | 'bare';
  /** Where it counts: anywhere, or only where nothing has been said since the last markup. */
  readonly place: 'anywhere' | 'start';
  /** Not looked for unless this family is asked for; `json` also when a call is required of the model. */
  readonly weak?: true | 'json';
  /** The opener is part of what the engine reads. */
  readonly keep?: true;
  /** The opener begins a block of code, so that inside one it ends it instead. */
  readonly opensFence?: true;
  /** Its ids have nine letters and digits, and the model is confused by others. */
  readonly shortIds?: true;
  /** What may be left over behind its calls. */
  readonly closes: readonly string[];
  readonly engine: MarkupEngine;
}

/** Text between two marks that goes somewhere else, or whose marks are dropped. */
export interface SpanForm extends ChannelSpan {
  readonly opens: readonly string[];
  readonly weak?: true;
  /** Its openers are words like others: it is reasoning only where something ends it. */
  readonly isDoubtful?: true;
  /** It counts in the middle of text, too. */
  readonly anywhere?: true;
  /** It counts for every family, but only where its opener begins no other markup. */
  readonly isLast?: true;
}

export interface ChannelForm extends Channels {
  readonly opens: readonly string[];
  /** Openers that count only for this family, where a message begins in the middle of its header. */
  readonly weakOpens?: readonly string[];
}

type Opener = Partial<Pick<CallForm, 'strength' | 'place' | 'weak' | 'keep' | 'shortIds' | 'opensFence'>> & {
  readonly openers: readonly string[];
};

export function json({
  openers,
  strength,
  place,
  weak,
  keep,
  shortIds,
  opensFence,
  ...form
}: Opener & JsonCalls): CallForm {
  return opened({ openers, strength, place, weak, keep, shortIds, opensFence }, form.closes, jsonCalls(form));
}

export function header({ strength, place, weak, shortIds, ...form }: Omit<Opener, 'openers'> & HeaderCalls): CallForm {
  const openers = [...(form.sections ?? []), ...form.begins];
  const closes = [...form.ends, ...(form.sectionEnds ?? [])];
  return opened({ openers, strength, place, weak, shortIds }, closes, headerCalls(form));
}

/** Tags with what is around them, and the same without it where the tag alone tells enough. */
export function tagged({
  alone = [],
  strength,
  aloneStrength = 'bare',
  ...form
}: {
  /** What a call without its wrapper begins with. */
  readonly alone?: readonly string[];
  readonly strength?: CallForm['strength'];
  readonly aloneStrength?: CallForm['strength'];
} & TaggedCalls): readonly CallForm[] {
  const engine = taggedCalls(form);
  const wrapped = opened({ openers: form.wrappers, strength: strength ?? 'xml' }, form.wrapperCloses, engine);
  const bare = opened({ openers: alone, strength: aloneStrength, keep: true }, form.wrapperCloses, engine);
  return alone.length > 0 ? [wrapped, bare] : [wrapped];
}

export function pythonic({ openers, strength, place, weak, keep, ...form }: Opener & PythonicCalls): CallForm {
  return opened({ openers, strength, place, weak, keep }, form.closes, pythonicCalls(form));
}

export function brace({ strength, ...form }: Omit<Opener, 'openers'> & BraceCalls): CallForm {
  return opened({ openers: form.begins, strength }, form.closes, braceCalls(form));
}

function opened(
  opener: { readonly [Key in keyof Opener]: Opener[Key] | undefined },
  closes: readonly string[],
  engine: MarkupEngine,
): CallForm {
  const { openers = [], strength = 'token', place = 'anywhere', weak, keep, shortIds, opensFence } = opener;
  return {
    openers,
    strength,
    place,
    closes,
    engine,
    ...(weak && { weak }),
    ...(keep && { keep }),
    ...(shortIds && { shortIds }),
    ...(opensFence && { opensFence }),
  };
}
