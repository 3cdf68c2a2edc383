import type { ImportInput } from '../importer.ts';
import { ImportError } from '../importer.ts';
import { type LostRows, lostRows } from '../lost-rows.ts';
import { pricesIn } from '../model-prices.ts';
import { type Row, rowsIn } from '../table-reader.ts';
import type { PriceEntry, TargetGateway } from '../target.ts';
import { documentValues, recordOf, type Values, valuesOf } from '../values.ts';

const tableNames = {
  organisations: 'LiteLLM_OrganizationTable',
  organisationMembers: 'LiteLLM_OrganizationMembership',
  teams: 'LiteLLM_TeamTable',
  teamMembers: 'LiteLLM_TeamMembership',
  teamAliases: 'LiteLLM_ModelTable',
  users: 'LiteLLM_UserTable',
  keys: 'LiteLLM_VerificationToken',
  replacedKeys: 'LiteLLM_DeprecatedVerificationToken',
  budgets: 'LiteLLM_BudgetTable',
  projects: 'LiteLLM_ProjectTable',
  models: 'LiteLLM_ProxyModelTable',
  credentials: 'LiteLLM_CredentialsTable',
  settings: 'LiteLLM_Config',
  accessGroups: 'LiteLLM_AccessGroupTable',
  groupBudgets: 'LiteLLM_ModelAccessGroupBudgetTable',
  budgetWindows: 'LiteLLM_BudgetWindowSpend',
  tags: 'LiteLLM_TagTable',
  permissions: 'LiteLLM_ObjectPermissionTable',
} as const;

export type LiteLlmTables = Readonly<Record<keyof typeof tableNames, readonly Row[]>>;

/** Tables that are not taken, and what is lost with each. */
const lostTables: Readonly<Record<string, string>> = {
  LiteLLM_EndUserTable: 'budgets and blocks of end users',
  LiteLLM_TagTable: 'budgets of tags',
  LiteLLM_ModelAccessGroupBudgetTable: 'budgets of access groups',
  LiteLLM_JWTKeyMapping: 'keys that stand for JWT claims',
  LiteLLM_GuardrailsTable: 'guardrails',
  LiteLLM_MCPServerTable: 'MCP servers',
  LiteLLM_AgentsTable: 'agents',
  LiteLLM_PromptTable: 'stored prompts',
  LiteLLM_ManagedFileTable: 'files',
  LiteLLM_ManagedVectorStoresTable: 'vector stores',
  LiteLLM_InvitationLink: 'open invitations',
};

export interface LiteLlmSource {
  readonly tables: LiteLlmTables;
  /** The rows with the spend of budget windows, by `windowName`. */
  readonly windows: ReadonlyMap<string, Row>;
  /** Rows of tables that are not taken. */
  readonly lost: readonly LostRows[];
  /** The configuration file, overridden by the settings of the database. */
  readonly config: Values;
  /** Names and encrypted values that the dashboard of LiteLLM stored. */
  readonly environment: Values;
  /** The same of the configuration file, as plain text. */
  readonly plainEnvironment: Values;
  /** A price list in the form of LiteLLM, if one was given. */
  readonly prices: readonly PriceEntry[];
  readonly target: TargetGateway;
}

export async function readSource({ tables: reader, documents, target }: ImportInput): Promise<LiteLlmSource> {
  if (reader && !(await reader.tables()).includes(tableNames.keys)) {
    throw new ImportError(
      `${reader.label} has no table ${tableNames.keys}.`,
      'Name the database of LiteLLM, with the schema of its tables if that is not `public`.',
    );
  }
  const read: [string, readonly Row[]][] = [];
  for (const [name, table] of Object.entries(tableNames)) read.push([name, reader ? await rowsIn(reader, table) : []]);
  const tables = Object.fromEntries(read) as LiteLlmTables;
  const { prices, files: others } = pricesIn(documents, target);
  const files = others.map(documentValues);
  const stored = Object.fromEntries(
    tables.settings.map((row) => [row['param_name'] ?? '', valuesOf(row['param_value'])]),
  );
  return {
    tables,
    windows: new Map(tables.budgetWindows.map((row) => [windowName(row), row])),
    lost: await lostRows(reader, lostTables),
    config: merged(files, stored),
    environment: recordOf(stored['environment_variables']),
    plainEnvironment: Object.assign({}, ...files.map((file) => recordOf(file['environment_variables']))) as Values,
    prices,
    target,
  };
}

function windowName({ entity_type: type, entity_id: id, window_duration: duration }: Row): string {
  return JSON.stringify([type, id, duration]);
}

/** Finds the row of a budget window of a key or a team by the duration of the window. */
export function windowsOf(type: 'key' | 'team', id: string, { windows }: LiteLlmSource) {
  return (duration: string): Row | undefined =>
    windows.get(windowName({ entity_type: type, entity_id: id, window_duration: duration }));
}

/** Merges sections of settings; the later value wins. Lists such as `model_list` are joined. */
function merged(files: readonly Values[], stored: Values): Values {
  const all = [...files, stored];
  const names = new Set(all.flatMap(Object.keys));
  return Object.fromEntries(
    [...names].map((name) => {
      const parts = all.map((each) => each[name]).filter((part) => part !== undefined);
      if (parts.some(Array.isArray)) return [name, parts.flatMap((part) => (Array.isArray(part) ? part : []))];
      return [name, Object.assign({}, ...parts.map(recordOf)) as Values];
    }),
  );
}
