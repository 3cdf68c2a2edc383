import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalText, nanoFrom } from 'chat-gateway-figures/money.ts';
import { shownParts } from './balance-parts.ts';

test('the shown parts of a balance add up to its shown total, and differ from the exact ones by less than a cent', () => {
  const amount = fc.bigInt({ min: 0n, max: 1_000_000_000_000n });
  fc.assert(
    fc.property(amount, amount, (spendable, reserved) => {
      const exact = { spendable, reserved, total: spendable + reserved };
      const shown = shownParts({
        total: decimalText(exact.total),
        spendable: decimalText(spendable),
        reserved: decimalText(reserved),
      });
      expect(nanoFrom(shown.spendable) + nanoFrom(shown.reserved)).toBe(nanoFrom(shown.total));
      for (const name of ['total', 'spendable', 'reserved'] as const) {
        const off = nanoFrom(shown[name]) - exact[name];
        expect(off < 10_000_000n && off > -10_000_000n).toBe(true);
      }
    }),
  );
});
