import { fillIn, type Names, type Params } from 'chat-formats/reasons/text.ts';
import { bifrostFindings } from './bifrost/finding-texts.ts';
import { appliedFindings, commonFindings } from './common-findings.ts';
import type { FindingTexts, Severity } from './finding-text.ts';
import { litellmFindings } from './litellm/finding-texts.ts';
import { oneApiFindings } from './one-api/finding-texts.ts';

/** All texts of findings. The key is the `code` for programs. */
const tables = [commonFindings, appliedFindings, litellmFindings, bifrostFindings, oneApiFindings] as const;

const byCode: ReadonlyMap<string, { readonly severity: Severity; readonly text: string }> = new Map(
  tables.flatMap((table: FindingTexts) =>
    (Object.entries(table) as [Severity, Readonly<Record<string, string>>][]).flatMap(([severity, texts]) =>
      Object.entries(texts).map(([code, text]) => [code, { severity, text }] as const),
    ),
  ),
);

type ValuesOf<Union> = Union extends Union ? Union[keyof Union] : never;
type KeysOf<Union> = Union extends Union ? keyof Union & string : never;
type Group = ValuesOf<(typeof tables)[number]>;

export type FindingCode = KeysOf<Group>;

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

type TextOf<Code, Union> = Union extends Readonly<Record<string, string>> & Record<Code & string, infer Text>
  ? Text
  : never;
type ParamNames<Code extends FindingCode> = Names<TextOf<Code, Group>>;

/** Params are required exactly if the text has names in braces. */
export function finding<Code extends FindingCode>(
  code: Code,
  subject: FindingSubject,
  ...[params]: [ParamNames<Code>] extends [never] ? [] : [Readonly<Record<ParamNames<Code>, string | number>>]
): Finding {
  return { severity: textOf(code).severity, code, params: params ?? {}, subject };
}

export function findingText({ code, params }: Finding): string {
  return fillIn(textOf(code).text, params);
}

function textOf(code: FindingCode) {
  const found = byCode.get(code);
  if (!found) throw new Error(`no finding has the code ${code}`);
  return found;
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
