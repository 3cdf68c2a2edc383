import { fillIn, type Names, type Params } from 'chat-formats/reasons/text.ts';
import { bifrostFindings } from './bifrost/finding-texts.ts';
import { commonFindings } from './common-findings.ts';
import type { Severity } from './finding-text.ts';
import { litellmFindings } from './litellm/finding-texts.ts';
import { oneApiFindings } from './one-api/finding-texts.ts';

/** All texts of findings. The key is the `code` for programs. */
const findingTexts = { ...commonFindings, ...litellmFindings, ...bifrostFindings, ...oneApiFindings };

export type FindingCode = keyof typeof findingTexts;

/** The kinds of items. The source id of an item is unique in its kind, and the same at every reading of the source. */
export type ItemKind = 'organisation' | 'account' | 'user' | 'key' | 'package' | 'upstream' | 'model';

/** The item of the source that a finding is about. `table` or `setting` if it is no item of the plan. */
export interface FindingSubject {
  readonly kind: ItemKind | 'table' | 'setting';
  readonly sourceId: string;
}

export interface Finding {
  readonly severity: Severity;
  readonly code: FindingCode;
  readonly params: Params;
  readonly subject: FindingSubject;
}

type ParamNames<Code extends FindingCode> = Names<(typeof findingTexts)[Code]['text']>;

/** Params are required exactly if the text has names in braces. */
export function finding<Code extends FindingCode>(
  code: Code,
  subject: FindingSubject,
  ...[params]: [ParamNames<Code>] extends [never] ? [] : [Readonly<Record<ParamNames<Code>, string | number>>]
): Finding {
  return { severity: findingTexts[code].severity, code, params: params ?? {}, subject };
}

export function findingText({ code, params }: Finding): string {
  return fillIn(findingTexts[code].text, params);
}

/** Collects the findings of one plan. */
export class FindingList {
  readonly #findings: Finding[] = [];

  get all(): readonly Finding[] {
    return this.#findings;
  }

  add<Code extends FindingCode>(...found: Parameters<typeof finding<Code>>): void {
    this.#findings.push(finding(...found));
  }
}
