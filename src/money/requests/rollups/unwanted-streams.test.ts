import { expect, test } from 'vitest';
import { dayMs, hourMs } from '../../../core/time/calendar-day.ts';
import { recordWith } from '../../../../test/fixtures/requests/record.ts';
import { forEachStore } from '../../../../test/stores/stores.ts';
import type { Store } from '../../../platform/store/store.ts';
import { storingRequests } from '../request-writer.ts';
import { dimensionTerms } from './rollup-dimensions.ts';
import { catchUp } from './rollup-worker.ts';
import { keysWithUnwantedStreams } from './unwanted-streams.ts';

forEachStore(({ open }) => {
  /** Stores a request of a key for each given time. */
  async function requested(store: Store, keyId: string, times: readonly number[], more = {}): Promise<void> {
    const records = times.map((startedAt, index) =>
      recordWith({ id: `${keyId} ${startedAt} ${index}`, keyId, startedAt, ...more }),
    );
    await store.commit(storingRequests, records);
    await catchUp(store);
  }
  const unwanted = { unwantedStream: true };

  test('the keys with the most unwanted streams are listed with all their requests, also over whole days', async () => {
    const store = await open();
    await requested(store, 'calm', [0, hourMs]);
    await requested(store, 'busy', [0, hourMs, dayMs, 4 * dayMs], unwanted);
    await requested(store, 'busy', [5, dayMs + 5]);
    await requested(store, 'rare', [hourMs], unwanted);
    await requested(store, 'elsewhere', [0, 1, 2, 3, 4], { ...unwanted, accountId: 'acc_other' });
    const span = { accountId: 'acc_demo', from: 0, to: 3 * dayMs };
    const busy = { keyId: 'busy', unwantedStreams: 3, requests: 5 };
    const rare = { keyId: 'rare', unwantedStreams: 1, requests: 1 };
    expect(await keysWithUnwantedStreams(store, span, 5)).toEqual([busy, rare]);
    expect(await keysWithUnwantedStreams(store, span, 1)).toEqual([busy]);
    expect(await keysWithUnwantedStreams(store, { ...span, accountId: undefined }, 5)).toEqual([
      { keyId: 'elsewhere', unwantedStreams: 5, requests: 5 },
      busy,
      rare,
    ]);
    expect(await keysWithUnwantedStreams(store, { ...span, from: 5 * dayMs, to: 6 * dayMs }, 5)).toEqual([]);
  });

  test('keys beyond the limit of an hour are not listed together as one key', async () => {
    const store = await open();
    const records = Array.from({ length: dimensionTerms.key.valuesMax + 5 }, (_, index) =>
      recordWith({ id: `r${index}`, keyId: `key_${index}`, startedAt: 0, ...unwanted }),
    );
    for (let first = 0; first < records.length; first += 500)
      await store.commit(storingRequests, records.slice(first, first + 500));
    await catchUp(store);
    const keys = await keysWithUnwantedStreams(store, { accountId: 'acc_demo', from: 0, to: hourMs }, 2);
    expect(keys).toMatchObject([{ unwantedStreams: 1 }, { unwantedStreams: 1 }]);
  });
});
