import { wordSet } from 'chat-formats/wire-value.ts';
import type { Row } from '../table-reader.ts';
import { jsonWithNumberTexts } from 'chat-formats/json/number-text.ts';

/** Columns that limit keys and have no counterpart here. */
const limits = {
  keys: 'tpd_limit model_max_budget agent_id config',
  users: 'model_max_budget',
  teams: 'tpd_limit model_max_budget',
  organisations: '',
  budgets: 'tpd_limit model_max_budget',
  projects: '',
} as const;

export type DecidedTable = keyof typeof limits;

const everywhere =
  'created_at created_by updated_at updated_by spend total_spend model_spend metadata object_permission_id';
const budget =
  'max_budget soft_budget budget_duration budget_reset_at max_parallel_requests tpm_limit rpm_limit budget_id budget_limits';

/** Columns that the import takes, reports by other findings, or may ignore: they limit no key. */
const others: Readonly<Record<DecidedTable, string>> = {
  keys: `token key_name key_alias expires models aliases user_id team_id project_id organization_id blocked ${budget}
    allowed_routes key_type access_group_ids soft_budget_cooldown router_settings permissions allowed_cache_controls
    policies budget_fallbacks settings_updated_at last_active rotation_count auto_rotate rotation_interval
    last_rotation_at key_rotation_at`,
  users: `user_id user_alias team_id teams sso_user_id organization_id password password_reset_required
    last_breach_check_at user_role user_email models ${budget} allowed_cache_controls policies`,
  teams: `team_id team_alias organization_id admins members members_with_roles models ${budget} blocked router_settings
    team_member_permissions access_group_ids policies default_team_member_models model_id allow_team_guardrail_config`,
  organisations: 'organization_id organization_alias budget_id models',
  budgets: `${budget} allowed_models temp_budget_increase temp_budget_expiry`,
  projects: 'project_id project_alias description team_id budget_id models model_rpm_limit model_tpm_limit blocked',
};

const lostColumns = new Map(Object.entries(limits).map(([table, text]) => [table, wordSet(text)]));
const decidedColumns = new Map(
  Object.entries(others).map(([table, text]) => [
    table,
    wordSet(`${text} ${everywhere} ${limits[table as DecidedTable]}`),
  ]),
);

/** The limits of a row that cannot be carried over, with their values. A column of a later version counts as a limit. */
export function lostColumnsOf(table: DecidedTable, row: Row | undefined): readonly string[] {
  return Object.entries(row ?? {}).flatMap(([column, cell]) => {
    const isLost = lostColumns.get(table)?.has(column) ?? false;
    const isUnknown = !(decidedColumns.get(table)?.has(column) ?? false) && limitName.test(column);
    if (cell === undefined || cell === null || !(isLost || isUnknown) || isEmpty(cell, isUnknown)) return [];
    return [`${column} ${shortText(cell)}`];
  });
}

/** The names of columns that a later version may limit keys with. */
const limitName =
  /limit|max|min|budget|quota|cap$|block|deny|denied|allow|restrict|forbid|expir|until|disabled|suspend/;

function isEmpty(cell: string, isUnknown: boolean): boolean {
  return ['', '{}', '[]', 'null', 'false', 'f'].includes(cell) || (isUnknown && Number(cell) === 0);
}

const textMax = 80;

/** The names of an object: its values may be long, or secrets. */
function shortText(cell: string): string {
  const value = jsonWithNumberTexts(cell);
  const text =
    cell.startsWith('{') && typeof value === 'object' && value !== null ? Object.keys(value).join(', ') : cell;
  return text.length > textMax ? `${text.slice(0, textMax)}…` : text;
}
