import { expect, test } from 'vitest';
import { loadedConfig } from '../../../../test/gateways/loaded-config.ts';
import { emptiedSections, emptySections } from './empty-sections.ts';

const upstreams = 'upstreams: [{ name: local, kind: ollama }]\n';
const models = 'models: [{ id: llama, routes: [{ upstream: local }], price: free }]\n';
const described = (text: string) => loadedConfig(text, '/').resources;

test('a section that requests need is empty if it has no entry', () => {
  expect(emptySections(described(upstreams + models))).toEqual([]);
  expect(emptySections(described(upstreams))).toEqual(['models']);
  expect(emptySections(described('# upstreams:\n'))).toEqual(['upstreams', 'models']);
});

test('a section is emptied only if it had entries before', () => {
  const whole = described(upstreams + models);
  expect(emptiedSections(whole, described(''))).toEqual(['upstreams', 'models']);
  expect(emptiedSections(whole, described(upstreams))).toEqual(['models']);
  expect(emptiedSections(whole, whole)).toEqual([]);
  expect(emptiedSections(described(''), described(''))).toEqual([]);
});
