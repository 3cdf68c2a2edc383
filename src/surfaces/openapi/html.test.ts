import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { highlight, html, prose, raw } from './html.ts';

test('values are escaped and markup is not', () => {
  expect(html`<p title="${'"\'`'}">${'<b>&'}${raw('<br>')}${[html`<i>`, html`</i>`]}${undefined}${7}</p>`.markup).toBe(
    '<p title="&quot;&#39;&#96;">&lt;b&gt;&amp;<br><i></i>7</p>',
  );
});

test('backticks in prose mark code, and their content is escaped too', () => {
  expect(prose('Send `Bearer <KEY>` & go').markup).toBe('Send <code>Bearer &lt;KEY&gt;</code> &amp; go');
});

test('highlighting any source adds only spans and keeps the text', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom(
          '<',
          '>',
          '&',
          '"',
          "'",
          '`',
          '\\',
          '{',
          ':',
          ',',
          '#',
          '/',
          ' ',
          '\n',
          '1',
          '.',
          'a',
          'é',
        ),
      }),
      (source) => {
        const bare = highlight(source).markup.replace(/<span class="[a-z]+">|<\/span>/g, '');
        expect(bare).toBe(html`${source}`.markup);
      },
    ),
  );
});

test('keys, strings and values have different classes', () => {
  expect(highlight('{"a": "b", "c": -1.5}').markup).toBe(
    '{<span class="key">&quot;a&quot;</span>: <span class="string">&quot;b&quot;</span>, <span class="key">&quot;c&quot;</span>: <span class="value">-1.5</span>}',
  );
});

test('numbers inside an address are not values', () => {
  expect(highlight('curl http://127.0.0.1:8080/v1').markup).toBe(
    '<span class="word">curl</span> http://127.0.0.1:8080/v1',
  );
});
