import { aliceHash, oldKey } from './new-api-database.ts';
import type { SourceRows, SourceSchema } from './source-tables.ts';

/** The tables of one-api that the importer reads. */
export const oneApiSchema: SourceSchema = {
  users: {
    id: 'bigint',
    username: 'text',
    password: 'text',
    display_name: 'text',
    role: 'bigint',
    status: 'bigint',
    email: 'text',
    github_id: 'text',
    wechat_id: 'text',
    lark_id: 'text',
    oidc_id: 'text',
    access_token: 'text',
    quota: 'bigint',
    used_quota: 'bigint',
    request_count: 'bigint',
    group: 'text',
    aff_code: 'text',
    inviter_id: 'bigint',
  },
  tokens: {
    id: 'bigint',
    user_id: 'bigint',
    key: 'text',
    status: 'bigint',
    name: 'text',
    created_time: 'bigint',
    accessed_time: 'bigint',
    expired_time: 'bigint',
    remain_quota: 'bigint',
    unlimited_quota: 'boolean',
    used_quota: 'bigint',
    models: 'text',
    subnet: 'text',
  },
  channels: {
    id: 'bigint',
    type: 'bigint',
    key: 'text',
    status: 'bigint',
    name: 'text',
    weight: 'bigint',
    base_url: 'text',
    other: 'text',
    models: 'text',
    group: 'text',
    used_quota: 'bigint',
    model_mapping: 'text',
    priority: 'bigint',
    config: 'text',
    system_prompt: 'text',
  },
  abilities: { group: 'text', model: 'text', channel_id: 'bigint', enabled: 'boolean', priority: 'bigint' },
  options: { key: 'text', value: 'text' },
  redemptions: { id: 'bigint', user_id: 'bigint', key: 'text', status: 'bigint', name: 'text', quota: 'bigint' },
};

export const oneApiRows: SourceRows = {
  users: [
    { ...user(1, 'root'), role: 100, email: 'root@example.com', quota: 500_000 },
    { ...user(2, 'alice'), email: 'alice@example.com', quota: 1_000_003, group: 'vip', lark_id: 'ou_1' },
    { ...user(3, 'gone'), status: 3, email: 'gone@example.com', quota: 5 },
  ],
  tokens: [
    { ...token(1, 2), name: 'plain', unlimited_quota: true },
    { ...token(2, 2), name: 'limited', models: 'gpt-4o,qwen-plus', remain_quota: 500_000, used_quota: 1 },
    { ...token(3, 2), name: 'office', subnet: '198.51.100.0/24, 2001:db8::/32', unlimited_quota: true },
    { ...token(4, 3), name: 'of a deleted user' },
  ],
  channels: [
    {
      ...channel(1, 50),
      name: 'compatible',
      base_url: 'https://llm.example/v1',
      models: 'gpt-4o,qwen-plus',
      weight: 9,
    },
    { ...channel(2, 17), name: 'ali', models: 'qwen-plus', priority: 5 },
    {
      ...channel(3, 33),
      name: 'aws',
      key: '',
      config: '{"ak":"AKIA2","sk":"secret2","region":"us-west-2"}',
      models: 'claude-3-opus-20240229',
    },
    {
      ...channel(4, 42),
      name: 'vertex',
      key: '',
      config: JSON.stringify({
        region: 'us-east5',
        vertex_ai_project_id: 'acme-project',
        vertex_ai_adc: '{"client_email":"a@example.com","private_key":"-----BEGIN PRIVATE KEY-----\\nx\\n"}',
      }),
      models: 'gemini-1.5-pro',
    },
    {
      ...channel(5, 3),
      name: 'azure',
      base_url: 'https://acme.openai.azure.com',
      config: '{"api_version":"2024-02-01"}',
      models: 'gpt-4.1',
    },
    { ...channel(6, 8), name: 'custom', base_url: 'https://custom.example', models: 'llama3' },
    { ...channel(7, 37), name: 'cloudflare', config: '{"user_id":"acc0unt"}', models: '@cf/meta/llama-3-8b-instruct' },
    { ...channel(8, 43), name: 'proxy', models: 'anything', system_prompt: 'Be kind.' },
  ],
  options: [
    {
      key: 'ModelRatio',
      value:
        '{"gpt-4o":1.25,"qwen-plus":0.0571,"qwen-plus(50)":0.1,"gemini-1.5-pro":1.75,"llama3":0.33333333,"@cf/meta/llama-3-8b-instruct":0}',
    },
    { key: 'CompletionRatio', value: '{"llama3":3}' },
    { key: 'GroupRatio', value: '{"default":1,"vip":0.5}' },
    { key: 'QuotaPerUnit', value: '300000' },
  ],
  redemptions: [{ id: 1, user_id: 1, key: 'r'.repeat(32), status: 1, name: 'open', quota: 300_000 }],
};

/** A reply of `GET /api/option/`, which also has what is compiled in. */
export const oneApiOptions = JSON.stringify({
  success: true,
  data: [
    {
      key: 'ModelRatio',
      value: JSON.stringify({ 'gpt-4o': 1.25, 'claude-3-opus-20240229': 7.5, 'gpt-4.1': 1, anything: 1 }),
    },
  ],
});

function user(id: number, username: string): SourceRows[string][number] {
  const usual = { password: aliceHash, display_name: username, role: 1, status: 1, email: '', used_quota: 0 };
  return { id, username, ...usual, group: 'default', aff_code: `a${id}` };
}

function token(id: number, owner: number): SourceRows[string][number] {
  const usual = { key: oldKey(`one${id}x`), status: 1, expired_time: -1, remain_quota: 0, unlimited_quota: false };
  return { id, user_id: owner, ...usual, used_quota: 0, models: '', subnet: '' };
}

function channel(id: number, type: number): SourceRows[string][number] {
  return {
    id,
    type,
    key: `key-${id}`,
    status: 1,
    weight: 0,
    base_url: '',
    other: '',
    group: 'default',
    priority: 0,
    config: '',
  };
}
