import { z } from 'zod';
import type { OrganisationId } from '../../../money/accounts/ids.ts';
import { findOrganisation, type Organisation, organisations } from '../../../money/accounts/organisations.ts';
import { recentDays } from '../../../money/billing/ledger/spend.ts';
import { closest } from '../../../platform/config/file/closest.ts';
import { displayName } from '../../../platform/config/schema/values/display-name.ts';
import { keyModels, timeZone } from '../../../platform/config/schema/key-limits.ts';
import { spendLimits } from '../../../platform/config/schema/spend-limit.ts';
import { contentVersion } from '../../../core/content-version.ts';
import { decimalText } from '../../../core/money.ts';
import { broken, reason } from 'chat-formats/reasons/reason.ts';
import { invalidField, missing, refused } from '../api/sent-values.ts';
import type { Versioned } from '../api/versioned.ts';
import { documentAs, moneySchema, timeSchema, versionSchema } from '../api/wire.ts';
import { limitEntries, limitsDocument, limitsField, limitWindows, windowsField } from '../limits/limit-documents.ts';
import type { AdminParts } from '../parts.ts';
import { organisationFigures } from './organisation-figures.ts';

const content = {
  id: z.string(),
  name: z.string().describe('Name in files and commands. It never changes.'),
  display_name: z.string().nullable().describe('Name for people, in any script. Null: `name` is shown.'),
  models: z
    .array(z.string())
    .nullable()
    .describe('Models that its accounts may use, as far as their packages allow them. Null: no limit of its own.'),
  ...limitsField,
  time_zone: z.string().describe('Time zone in which the periods of its limits begin.'),
  source: z.enum(['file', 'store']).describe('`file`: the configuration file created it, and sets the fields it has.'),
  created_at: timeSchema,
};

const schema = z.strictObject({
  ...content,
  version: versionSchema,
  ...windowsField,
  accounts: z.int().describe('Number of its accounts.'),
  recent_spend: moneySchema.describe(`Charged to its accounts in the last ${recentDays} days.`),
  open_amount: moneySchema.describe('What its accounts owe: their negative balances together.'),
});

export const organisationReply = { name: 'Organisation', schema, inside: limitEntries };

export const organisationTerms = {
  display_name: displayName.nullable().optional().describe('Name for people. Null: `name` is shown.'),
  models: keyModels.nullable().optional().describe('Ids, aliases or patterns. Null: no limit of its own.'),
  limits: spendLimits.optional().describe('Limits on the spend of all its accounts together. `[]`: none.'),
  time_zone: timeZone.optional().describe('Time zone in which the periods of its limits begin. Default: UTC.'),
};

type OrganisationDocument = z.input<typeof schema>;

export async function organisationDocument(
  parts: AdminParts,
  organisation: Organisation,
): Promise<OrganisationDocument> {
  const [document] = await organisationDocuments(parts, [organisation]);
  return document as OrganisationDocument;
}

export async function organisationDocuments(
  parts: AdminParts,
  listed: readonly Organisation[],
): Promise<OrganisationDocument[]> {
  const ids = listed.map(({ id }) => id);
  const figures = await organisationFigures(parts.store, ids, parts.clock.now());
  const windows = await limitWindows(
    parts,
    listed.map((each) => ({ ...each, scope: 'organisation', subjectId: each.id, accountId: '' })),
  );
  return listed.map((organisation, index) => {
    const { accounts, recentSpend, openAmount } = figures(organisation.id);
    const money = { recent_spend: decimalText(recentSpend), open_amount: decimalText(openAmount) };
    return { ...organisationContent(organisation), windows: windows[index] ?? [], accounts, ...money };
  });
}

/** An organisation without its figures. The audit log compares these documents. */
export function organisationContent(organisation: Organisation) {
  const fields = {
    ...documentAs(content, { ...organisation, limits: [] }),
    limits: limitsDocument(organisation.limits),
  };
  return { ...fields, version: contentVersion(fields) };
}

export const versionedOrganisation: Versioned = {
  kind: 'organisation',
  lock: 'accounts',
  current: async (parts, id) => organisationContent(await organisationAt(parts, id)),
};

/** Throws `organisation_not_found` unless an organisation has this id. */
export async function organisationAt({ store }: AdminParts, id: string): Promise<Organisation> {
  const organisation = await findOrganisation(store.db, id);
  // A name may look like an id. Here only the id counts.
  if (organisation?.id !== id) throw missing('organisation');
  return organisation;
}

/** A bill has a line for each account. */
const accountsMax = 1000;

/** The organisation that an account shall belong to, by id or name. `null`: none. */
export async function organisationOf(
  { store, clock }: AdminParts,
  wanted: string | null | undefined,
): Promise<OrganisationId | null | undefined> {
  if (wanted === null || wanted === undefined) return wanted;
  const found = await findOrganisation(store.db, wanted);
  if (!found) {
    const names = (await organisations(store, clock).list()).map(({ name }) => name);
    const similar = closest(wanted, names);
    const fix = similar === undefined ? 'GET /admin/v1/organisations lists them.' : `Did you mean \`${similar}\`?`;
    throw invalidField('organisation', broken('no_such_organisation'), fix);
  }
  const { accounts } = (await organisationFigures(store, [found.id], clock.now()))(found.id);
  if (accounts >= accountsMax) throw refused(reason('organisation_full', { max: accountsMax }));
  return found.id;
}
