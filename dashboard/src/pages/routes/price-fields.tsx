import { Switch, Text, TextInput } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { useText } from '../../text/text.tsx';
import { type ModelValues, type PriceName, priceNames } from './model-values.ts';
import { priceWords } from './price-words.ts';
import classes from './routes.module.css';

export interface PriceFieldsProps {
  readonly isFree: boolean;
  readonly price: ModelValues['price'];
  readonly errorOf: (name: PriceName) => string | undefined;
  readonly onFree: (isFree: boolean) => void;
  readonly onPrice: (name: PriceName, text: string) => void;
}

/** Prices per million tokens. An empty cache price means the input price. */
export function PriceFields({ isFree, price, errorOf, onFree, onPrice }: PriceFieldsProps) {
  const { t } = useText();
  const { currency } = useSession();
  return (
    <>
      <Switch
        label={t('routes.free')}
        checked={isFree}
        onChange={({ currentTarget }) => onFree(currentTarget.checked)}
      />
      {!isFree && (
        <>
          <Text fz="sm" c="dimmed">
            {t('routes.priceHelp', { currency })}
          </Text>
          <div className={classes['fields']}>
            {priceNames.map((name) => (
              <TextInput
                key={name}
                label={t(priceWords[name])}
                withAsterisk={name === 'input' || name === 'output'}
                placeholder={name === 'input' || name === 'output' ? '0.00' : price.input || t('routes.asInput')}
                inputMode="decimal"
                value={price[name]}
                error={errorOf(name)}
                onChange={({ currentTarget }) => onPrice(name, currentTarget.value)}
              />
            ))}
          </div>
        </>
      )}
    </>
  );
}
