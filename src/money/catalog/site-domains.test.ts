import { expect, test } from 'vitest';
import { siteDomains } from './site-domains.ts';

function site(name: string, ...domains: string[]) {
  return { name, domains, models: ['*'], honourStreamFalse: false, reportCost: false };
}

const siteFor = siteDomains([
  site('any', '*'),
  site('below', '*.example.com'),
  site('deep', '*.eu.example.com'),
  site('exact', 'api.example.com', 'LocalHost', '[::1]'),
]);

test('an exact domain wins over the longest suffix, which wins over the star', () => {
  expect(siteFor('api.example.com')).toBe('exact');
  expect(siteFor('other.example.com')).toBe('below');
  expect(siteFor('a.b.example.com')).toBe('below');
  expect(siteFor('x.eu.example.com')).toBe('deep');
  expect(siteFor('eu.example.com')).toBe('below');
  expect(siteFor('example.com')).toBe('any');
  expect(siteFor('notexample.com')).toBe('any');
});

test('port, case and a trailing dot are ignored', () => {
  expect(siteFor('API.example.com:8443')).toBe('exact');
  expect(siteFor('api.example.com.')).toBe('exact');
  expect(siteFor('localhost:8080')).toBe('exact');
  expect(siteFor('[::1]:8080')).toBe('exact');
  expect(siteFor('[::1]')).toBe('exact');
});

test('without a star an unknown host has no site', () => {
  const strict = siteDomains([site('one', 'one.example'), site('two', '*.two.example')]);
  for (const host of ['', 'x', 'two.example', 'one.example.evil', '__proto__', 'constructor', '.']) {
    expect(strict(host)).toBeUndefined();
  }
});

test('a host longer than any domain has no site, and the look-up stays fast', () => {
  // With a look-up per label, this would not terminate.
  expect(siteFor('a.'.repeat(2_000_000))).toBeUndefined();
});
