import { describe, expect, it } from 'vitest';
import type { Preset } from '../../api/wire.ts';
import { isNeeded, losesSecrets, newValues, kindFieldsOf, specOf, valuesOf } from './upstream-values.ts';

const plain: Preset = {
  name: 'acme',
  title: 'Acme',
  base_url: 'https://api.acme.example/v1',
  environment: ['ACME_KEY'],
  fields: [],
  needs: [],
  note: null,
};
const cloud: Preset = {
  ...plain,
  name: 'bedrock',
  base_url: 'https://bedrock-runtime.REGION.example',
  fields: ['region', 'access_key_id', 'secret_access_key', 'session_token'],
};

describe('the form of an upstream', () => {
  it('asks only for the key of a known provider', () => {
    expect(kindFieldsOf(plain)).toEqual({ baseUrl: 'advanced', fields: [], secrets: [], takesKey: true });
  });

  it('asks for the base URL, but no key, of a local provider', () => {
    const local = { ...plain, base_url: 'http://127.0.0.1:11434/v1', environment: [] };
    expect(kindFieldsOf(local)).toMatchObject({ baseUrl: 'first', takesKey: false });
    expect(newValues(local, []).baseUrl).toBe('http://127.0.0.1:11434/v1');
  });

  it('asks for the fields of a cloud, and separately for its native credential', () => {
    const { fields, secrets } = kindFieldsOf(cloud);
    expect(fields).toEqual(['region']);
    expect(secrets).toEqual(['access_key_id', 'secret_access_key', 'session_token']);
    expect(isNeeded('session_token', { credential: 'own' })).toBe(false);
  });

  it('suggests an unused name', () => {
    expect(newValues(plain, ['acme', 'acme-2']).name).toBe('acme-3');
  });

  it('sends one key as a string and several as a list', () => {
    const values = newValues(plain, []);
    expect(specOf('acme', { ...values, keys: ' one \n' })).toEqual({ name: 'acme', kind: 'acme', api_key: 'one' });
    expect(specOf('acme', { ...values, keys: 'one\n\ntwo' })).toMatchObject({ api_keys: ['one', 'two'] });
  });

  it('sends either the key or the native credential of a cloud, never both', () => {
    const values = {
      ...newValues(cloud, []),
      keys: 'one',
      own: { region: 'r', access_key_id: 'a', secret_access_key: 's' },
    };
    expect(specOf('bedrock', values)).toEqual({ name: 'bedrock', kind: 'bedrock', api_key: 'one', region: 'r' });
    expect(specOf('bedrock', { ...values, credential: 'own' })).not.toHaveProperty('api_key');
  });

  it('keeps fields that it does not show, and sends no secrets unless new ones are typed', () => {
    const before = {
      name: 'acme',
      kind: 'acme',
      max_concurrency: 8,
      quirks: { suffix: true },
      timeouts: { idle: '9s' },
    };
    expect(specOf('acme', valuesOf(before, ['api_key'], []), before)).toEqual(before);
  });

  it('reports that a new base URL loses the secrets', () => {
    const before = { name: 'acme', kind: 'acme' };
    const values = valuesOf(before, ['api_key'], []);
    expect(losesSecrets(values, before, ['api_key'])).toBe(false);
    expect(losesSecrets({ ...values, baseUrl: 'https://elsewhere.example' }, before, ['api_key'])).toBe(true);
    expect(losesSecrets({ ...values, baseUrl: 'https://elsewhere.example' }, before, [])).toBe(false);
  });
});
