import { Text } from '@mantine/core';
import type { CatalogModel } from '../../api/wire.ts';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { type PromiseName, promiseWords } from './promise-values.ts';
import classes from './routes.module.css';

/** What became of the promises that the gateway watched over for a model; nothing before any was asked for. */
export function PromisesKept({ promises }: { readonly promises: CatalogModel['promises'] | undefined }) {
  const { t } = useText();
  const format = useFormat();
  if (!promises || promises.length === 0)
    return (
      <Text span c="dimmed">
        –
      </Text>
    );
  return promises.map(({ promise, seen, kept, mended, asked_again: again, missed }) => {
    const share = (seen - missed) / seen;
    const word = promiseWords[promise as PromiseName];
    return (
      <div key={promise}>
        {word ? t(word) : promise}{' '}
        <span className={share < 0.9 ? classes['bad'] : undefined}>{format.percent(share)}</span>
        <Text fz="xs" c="dimmed">
          {t('routes.promiseCounts', { seen, kept, mended, again, missed })}
        </Text>
      </div>
    );
  });
}
