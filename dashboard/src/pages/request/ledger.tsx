import { Card, Text, Title } from '@mantine/core';
import type { OwnRequestDetail } from '../../api/wire.ts';
import { actorText, kindName, reasonText } from '../../components/ledger-words.ts';
import { Money } from '../../components/money.tsx';
import { When } from '../../components/when.tsx';
import { useText } from '../../text/text.tsx';
import classes from './request.module.css';

/** The ledger entries of a request. */
export function Ledger({ lines }: { readonly lines: OwnRequestDetail['ledger'] }) {
  const { t } = useText();
  return (
    <Card component="section" aria-label={t('request.ledger')}>
      <Title order={2} size="h3" mb="xs">
        {t('request.ledger')}
      </Title>
      {lines.length === 0 ? (
        <Text fz="sm" c="dimmed">
          {t('request.ledgerEmpty')}
        </Text>
      ) : (
        <table className={classes['table']}>
          <thead>
            <tr>
              <th scope="col">{t('request.when')}</th>
              <th scope="col">{t('request.what')}</th>
              <th scope="col" className="number">
                {t('request.amount')}
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ at, kind, amount, by, reason }) => (
              <tr key={`${at}${kind}`}>
                <td>
                  <When at={at} as="date-time" />
                </td>
                <td>
                  {kindName(kind, t)}
                  <Text fz="xs" c="dimmed">
                    {[actorText(by, t), reasonText(reason, t)].filter(Boolean).join(' · ')}
                  </Text>
                </td>
                <td className="number">
                  <Money amount={amount} signed />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
