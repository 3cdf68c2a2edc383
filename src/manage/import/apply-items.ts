import { GatewayError } from 'chat-formats/gateway-error.ts';
import { englishOf } from 'chat-formats/reasons/reason.ts';
import type { FindingList, ItemKind } from 'chat-gateway-import/findings.ts';
import type { Provenance } from './provenance.ts';

/** How items of one kind are found, created and changed here, by the functions of their own modules. */
export interface ItemHandler<Item> {
  readonly kind: ItemKind;
  /** The part of the item that an import takes. Spend and balances are booked apart from it. */
  readonly content: (item: Item) => unknown;
  /** The fields of the subject that an import writes, as they are now. `undefined`: it does not exist any more. */
  readonly current: (subjectId: string) => Promise<unknown>;
  /** Returns the id of the subject. */
  readonly create: (item: Item) => Promise<string>;
  readonly change: (subjectId: string, item: Item) => Promise<void>;
  /** A secret that identifies the subject to clients. It is compared apart from the content. */
  readonly secret?: (item: Item) => unknown;
  /** Gives the subject the new secret of the item and ends the old one. Returns the id that the subject has then. */
  readonly renew?: (subjectId: string, item: Item) => Promise<string>;
  /** The source does not have the item any more. Left out: the subject stays. */
  readonly retire?: (subjectId: string) => Promise<void>;
  /** The source has ended the item. It ends here too, whatever was changed here. */
  readonly isEnded?: (item: Item) => boolean;
}

/** The result for one item. `kept`: it was changed here meanwhile, so the change of the source is not taken. */
export type Outcome = 'created' | 'changed' | 'unchanged' | 'kept' | 'left_out' | 'retired';

export interface AppliedItems {
  /** Ids of the subjects here, by source id. */
  readonly subjects: ReadonlyMap<string, string>;
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

interface ApplyParts {
  readonly provenance: Provenance;
  readonly findings: FindingList;
}

const retiredDigest = 'retired';

/**
 * Creates new items, changes those that the source changed, and retires those that it lost. An item that was changed here
 * since the last import is reported and kept. A subject that the gateway refuses is reported and left out.
 */
export async function applyItems<Item extends { readonly sourceId: string }>(
  items: readonly Item[],
  handler: ItemHandler<Item>,
  parts: ApplyParts,
): Promise<AppliedItems> {
  const { provenance, findings } = parts;
  const { kind } = handler;
  const subjects = new Map<string, string>();
  const outcomes = new Map<string, Outcome>();
  for (const item of items) {
    const { sourceId } = item;
    try {
      const { outcome, subjectId } = await applyOne(item, handler, parts);
      outcomes.set(sourceId, outcome);
      if (subjectId !== undefined) subjects.set(sourceId, subjectId);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      outcomes.set(sourceId, 'left_out');
      findings.add('item_refused', { kind, sourceId }, { problem: problemOf(error) });
    }
  }
  const present = new Set(items.map(({ sourceId }) => sourceId));
  for (const gone of provenance.all(kind)) {
    if (present.has(gone.sourceId) || gone.digest === retiredDigest) continue;
    subjects.set(gone.sourceId, gone.subjectId);
    if (handler.retire) {
      await handler.retire(gone.subjectId);
      outcomes.set(gone.sourceId, 'retired');
      await provenance.write(kind, { ...gone, digest: retiredDigest });
    } else findings.add('gone_in_source', { kind, sourceId: gone.sourceId }, { subject: gone.subjectId });
  }
  return { subjects, outcomes };
}

async function applyOne<Item extends { readonly sourceId: string }>(
  item: Item,
  handler: ItemHandler<Item>,
  { provenance, findings }: ApplyParts,
): Promise<{ readonly outcome: Outcome; readonly subjectId?: string }> {
  const { kind } = handler;
  const { sourceId } = item;
  const content = provenance.digest(handler.content(item));
  const secret = handler.secret ? provenance.digest(handler.secret(item)) : '';
  const digest = content + secret;
  const known = provenance.find(kind, sourceId);
  if (!known) {
    const subjectId = await handler.create(item);
    const subjectDigest = provenance.digest(await handler.current(subjectId));
    await provenance.write(kind, { sourceId, subjectId, digest, subjectDigest });
    return { outcome: 'created', subjectId };
  }
  if (known.digest === digest) return { outcome: 'unchanged', subjectId: known.subjectId };
  const current = await handler.current(known.subjectId);
  const isRenewed = handler.renew && current !== undefined && isOtherSecret(known.digest, content, secret);
  const subjectId = isRenewed ? await handler.renew(known.subjectId, item) : known.subjectId;
  if (known.digest.startsWith(content)) {
    await provenance.write(kind, { ...known, subjectId, digest });
    return { outcome: 'changed', subjectId };
  }
  if (current === undefined || provenance.digest(current) !== known.subjectDigest) {
    const code = current === undefined ? 'removed_here' : 'changed_here';
    findings.add(code, { kind, sourceId }, { subject: subjectId });
    if (handler.isEnded?.(item)) await handler.retire?.(subjectId);
    if (isRenewed)
      await provenance.write(kind, { ...known, subjectId, digest: known.digest.slice(0, content.length) + secret });
    return { outcome: 'kept', ...(current !== undefined && { subjectId }) };
  }
  await handler.change(subjectId, item);
  const subjectDigest = provenance.digest(await handler.current(subjectId));
  await provenance.write(kind, { sourceId, subjectId, digest, subjectDigest });
  return { outcome: 'changed', subjectId };
}

/** A digest of an item is that of its content and that of its secret. */
function isOtherSecret(known: string, content: string, secret: string): boolean {
  const before = known.slice(content.length);
  return before !== '' && before !== secret;
}

function problemOf({ message, reason, problems }: GatewayError): string {
  const fields = problems.map((problem) => `${problem.field} ${problem.message}`);
  const text = reason === undefined ? (fields.length > 0 ? '' : message) : englishOf(reason);
  return [text, ...fields].flatMap((part) => (part === '' ? [] : [part.endsWith('.') ? part : `${part}.`])).join(' ');
}
