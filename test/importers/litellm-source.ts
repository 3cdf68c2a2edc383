import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import type { ColumnType, SourceSchema } from './source-tables.ts';

const budget = { max_budget: 'float', soft_budget: 'float', budget_duration: 'text', budget_reset_at: 'time' } as const;
const rates = { tpm_limit: 'bigint', rpm_limit: 'bigint', max_parallel_requests: 'bigint' } as const;
const shared: Readonly<Record<string, ColumnType>> = { ...budget, ...rates, model_max_budget: 'json' };

/** The tables of LiteLLM that the importer reads, with the columns of its Prisma schema. */
export const litellmSchema: SourceSchema = {
  LiteLLM_BudgetTable: { budget_id: 'text', ...shared, allowed_models: 'text[]' },
  LiteLLM_CredentialsTable: {
    credential_id: 'text',
    credential_name: 'text',
    credential_values: 'json',
    credential_info: 'json',
  },
  LiteLLM_ProxyModelTable: {
    model_id: 'text',
    model_name: 'text',
    litellm_params: 'json',
    model_info: 'json',
    blocked: 'boolean',
  },
  LiteLLM_OrganizationTable: {
    organization_id: 'text',
    organization_alias: 'text',
    budget_id: 'text',
    models: 'text[]',
    spend: 'float',
    metadata: 'json',
  },
  LiteLLM_OrganizationMembership: {
    user_id: 'text',
    organization_id: 'text',
    user_role: 'text',
    spend: 'float',
    budget_id: 'text',
  },
  LiteLLM_ModelTable: { id: 'bigint', aliases: 'json' },
  LiteLLM_TeamTable: {
    team_id: 'text',
    team_alias: 'text',
    organization_id: 'text',
    admins: 'text[]',
    members: 'text[]',
    members_with_roles: 'json',
    metadata: 'json',
    ...shared,
    spend: 'float',
    models: 'text[]',
    blocked: 'boolean',
    model_id: 'bigint',
    budget_limits: 'json',
  },
  LiteLLM_TeamMembership: { user_id: 'text', team_id: 'text', spend: 'float', total_spend: 'float', budget_id: 'text' },
  LiteLLM_UserTable: {
    user_id: 'text',
    user_alias: 'text',
    sso_user_id: 'text',
    password: 'text',
    teams: 'text[]',
    user_role: 'text',
    ...shared,
    spend: 'float',
    user_email: 'text',
    models: 'text[]',
    metadata: 'json',
  },
  LiteLLM_ProjectTable: {
    project_id: 'text',
    project_alias: 'text',
    team_id: 'text',
    budget_id: 'text',
    models: 'text[]',
    spend: 'float',
    blocked: 'boolean',
  },
  LiteLLM_VerificationToken: {
    token: 'text',
    key_name: 'text',
    key_alias: 'text',
    spend: 'float',
    expires: 'time',
    models: 'text[]',
    aliases: 'json',
    user_id: 'text',
    team_id: 'text',
    project_id: 'text',
    metadata: 'json',
    blocked: 'boolean',
    ...shared,
    allowed_routes: 'text[]',
    budget_id: 'text',
    organization_id: 'text',
    budget_limits: 'json',
    last_active: 'time',
  },
  LiteLLM_DeprecatedVerificationToken: { id: 'text', token: 'text', active_token_id: 'text', revoke_at: 'time' },
  LiteLLM_EndUserTable: { user_id: 'text', alias: 'text', spend: 'float', budget_id: 'text', blocked: 'boolean' },
  LiteLLM_TagTable: { tag_name: 'text', spend: 'float', budget_id: 'text' },
  LiteLLM_Config: { param_name: 'text', param_value: 'json' },
};

/** The token column of a key. */
export function litellmHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Encrypts as LiteLLM does now. */
export function sealedGcm(text: string, saltKey: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(saltKey).digest(), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `v2:gcm:${Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url')}`;
}

/** Encrypts as older versions of LiteLLM do. */
export function sealedBox(text: string, saltKey: string, encoding: 'base64' | 'base64url' = 'base64url'): string {
  const nonce = randomBytes(24);
  const key = createHash('sha256').update(saltKey).digest();
  const box = xsalsa20poly1305(key, nonce).encrypt(Buffer.from(text, 'utf8'));
  return Buffer.concat([nonce, box]).toString(encoding);
}
