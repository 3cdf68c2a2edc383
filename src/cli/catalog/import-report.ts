import { stringify } from 'yaml';
import type { InvalidField, ListEntry } from '../../money/catalog/price-list/list-entry.ts';
import type { ChangePlan, ModelPlan } from '../../money/catalog/price-list/plan-import.ts';
import type { PriceChange } from '../../money/catalog/price-list/price-changes.ts';
import type { PriceList } from '../../money/catalog/price-list/price-list.ts';
import { followNote } from '../terminal/notes.ts';
import { table } from '../terminal/output.ts';

/** The name of the price list, and the day on which the file was last changed. */
export interface ImportedFile {
  readonly name: string;
  readonly day: string;
}

export interface ImportReport {
  readonly file: ImportedFile;
  readonly form: PriceList['form'];
  readonly plans: readonly ModelPlan[];
  /** Models whose held-back changes are accepted. */
  readonly accepted: ReadonlySet<string>;
  /** Models whose changes are written, or would be with `--apply`. */
  readonly written: ReadonlySet<string>;
  readonly isApplied: boolean;
  /** The place of a model's price in the configuration file. */
  readonly lines: (model: string) => string | undefined;
}

/** The source of a price, and its age: the day of the entry, or else of the file. */
export function sourceText({ provider, name, date }: ListEntry, file: ImportedFile): string {
  const entry = provider === '' || name.startsWith(`${provider}/`) ? name : `${provider}/${name}`;
  return `${file.name} ${entry}, ${date ?? `file of ${file.day}`}`;
}

const holdTexts: Readonly<Record<ChangePlan['holds'][number], string>> = {
  tenfold: 'ten times dearer or cheaper',
  vanished: 'the list no longer has this price',
  zero: 'becomes 0',
  rounded: 'the list has more than six places',
};

const problemTexts: Readonly<Record<InvalidField['problem'], string>> = {
  negative: 'is negative',
  not_a_number: 'is not a number',
  too_large: 'is too large',
  missing: 'is missing',
};

export function importText(report: ImportReport): string {
  const { plans, isApplied, written } = report;
  const changed = changedPlans(plans);
  const count = (status: ModelPlan['status']) => plans.filter((plan) => plan.status === status).length;
  const counts = `${count('unchanged')} unchanged, ${count('unlisted')} not in the list.`;
  const parts = [
    changed.length === 0 ? undefined : changeTable(changed, report),
    keptText(changed),
    heldText(changed, report),
    unusableText(plans),
    unreadText(plans),
    fileText(changed, report),
    `${models(changed.length)} with other prices in the list, ${counts}`,
    resultText(written.size, isApplied),
  ];
  return parts.filter((part) => part !== undefined).join('\n\n');
}

function resultText(count: number, isApplied: boolean): string {
  if (isApplied) return `Changed the prices of ${models(count)}. ${followNote}`;
  const next = count === 0 ? '' : ` Run the command again with --apply to change the prices of ${models(count)}.`;
  return `Nothing was changed.${next}`;
}

function models(count: number): string {
  return count === 1 ? '1 model' : `${count} models`;
}

type ChangedPlan = ModelPlan & ChangePlan;

function changedPlans(plans: readonly ModelPlan[]): readonly ChangedPlan[] {
  return plans.filter((plan): plan is ChangedPlan => plan.status === 'changed' || plan.status === 'held');
}

function changeTable(plans: readonly ChangedPlan[], { file, accepted }: ImportReport): string {
  const rows = plans.flatMap(({ model, entry, changes }) =>
    changes.map((change, index) => [
      index === 0 ? model.name : '',
      kindText(change),
      change.before,
      change.after,
      change.percent ?? 'from 0',
      change.hold === undefined || accepted.has(model.name) ? '' : `held back: ${holdTexts[change.hold]}`,
      index === 0 ? sourceText(entry, file) : '',
    ]),
  );
  return table(['model', 'price', 'old', 'new', 'change', 'note', 'source'], rows, 100);
}

function kindText({ kind, level, promptOver }: PriceChange): string {
  const parts = [kind, level, promptOver === undefined ? undefined : `prompt over ${promptOver}`];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** Prices that lists do not have. They may be old too. */
function keptText(plans: readonly ChangedPlan[]): string | undefined {
  const kept = plans.flatMap(({ model, price, changes }) => {
    const changed = new Set<string>(changes.map(({ kind }) => kind));
    const fields = [
      'cache_write_30m',
      'cache_write_1h',
      'cache_write_12h',
      'input_image',
      'provider_tools',
      'units',
    ].filter((field) => price[field] !== undefined && !changed.has(field));
    return fields.length === 0 ? [] : [`  ${model.name}: ${fields.join(', ')}`];
  });
  return kept.length === 0 ? undefined : ['Prices that stay as they are:', ...kept].join('\n');
}

function heldText(plans: readonly ChangedPlan[], { accepted }: ImportReport): string | undefined {
  const held = plans.filter(
    ({ model, status }) => model.source === 'store' && status === 'held' && !accepted.has(model.name),
  );
  if (held.length === 0) return undefined;
  const lines = held.map(({ model, holds }) => `  ${model.name}: ${holds.map((hold) => holdTexts[hold]).join('; ')}`);
  const ids = held.map(({ model }) => model.name).join(',');
  return ['Held back, because the changes look like errors:', ...lines, `If they are right, pass --accept ${ids}`].join(
    '\n',
  );
}

function unusableText(plans: readonly ModelPlan[]): string | undefined {
  const lines = plans.flatMap((plan) => {
    if (plan.status === 'ambiguous') {
      const providers = [...new Set(plan.entries.map(({ provider, name }) => `${provider} (${name})`))].slice(0, 8);
      return [`  ${plan.model.name}: several prices. Choose one with --provider: ${providers.join(', ')}`];
    }
    if (plan.status !== 'invalid') return [];
    const problems = plan.entry.invalid.map(({ field, problem }) => `${field} ${problemTexts[problem]}`);
    return [`  ${plan.model.name}: ${problems.join(', ')}`];
  });
  return lines.length === 0 ? undefined : ['Models that cannot be compared:', ...lines].join('\n');
}

/** A price that the list has and the catalog does not: requests may cost more than the gateway charges. */
function unreadText(plans: readonly ModelPlan[]): string | undefined {
  const lines = plans.flatMap((plan) =>
    'entry' in plan && plan.entry.unread ? `  ${plan.model.name}: ${plan.entry.unread.join(', ')}` : [],
  );
  return lines.length === 0 ? undefined : ['Prices of the list that are not understood:', ...lines].join('\n');
}

/** Commands do not change the configuration file. */
function fileText(plans: readonly ChangedPlan[], { lines }: ImportReport): string | undefined {
  const ofFile = plans.filter(({ model }) => model.source === 'file');
  if (ofFile.length === 0) return undefined;
  const texts = ofFile.map(({ model, price }) => {
    const place = lines(model.name);
    return `  ${model.name}${place === undefined ? '' : ` (${place})`}\n    ${yamlLine(price)}`;
  });
  return ['Models of the configuration file. Change them there:', ...texts].join('\n');
}

function yamlLine(price: unknown): string {
  return `price: ${stringify(price, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`;
}

export function importDocument({ file, form, plans, written, isApplied, lines }: ImportReport): object {
  return {
    file: file.name,
    file_date: file.day,
    form,
    applied: isApplied,
    models: plans.map((plan) => ({
      model: plan.model.name,
      status: plan.status,
      in_file: plan.model.source === 'file',
      line: lines(plan.model.name) ?? null,
      written: isApplied && written.has(plan.model.name),
      source: 'entry' in plan ? entryDocument(plan.entry) : null,
      entries: plan.status === 'ambiguous' ? plan.entries.map(entryDocument) : [],
      invalid: 'entry' in plan ? plan.entry.invalid : [],
      unread: 'entry' in plan ? (plan.entry.unread ?? []) : [],
      holds: 'holds' in plan ? plan.holds : [],
      changes: 'changes' in plan ? plan.changes.map(changeDocument) : [],
      price: 'price' in plan ? plan.price : null,
    })),
  };
}

function entryDocument({ provider, name, date, contextWindow, maxOutputTokens }: ListEntry): object {
  return {
    provider,
    name,
    date: date ?? null,
    context_window: contextWindow ?? null,
    max_output_tokens: maxOutputTokens ?? null,
  };
}

function changeDocument({ kind, promptOver, level, before, after, percent, hold }: PriceChange): object {
  const when = { prompt_over: promptOver ?? null, level: level ?? null };
  return { kind, ...when, before, after, percent: percent ?? null, hold: hold ?? null };
}
