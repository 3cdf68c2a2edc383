import { TextInput } from '@mantine/core';
import { useText } from '../../text/text.tsx';
import {
  isOutput,
  type PriceName,
  type PriceValues,
  priceWords,
  type TokenPriceTexts,
  usualText,
} from './price-values.ts';
import classes from './routes.module.css';

/** The fields of a part of the schedule. */
export interface PricePartProps {
  readonly price: PriceValues;
  /** The API's name of the schedule, such as `price` or `routes[0].cost`. */
  readonly path: string;
  /** By the API's name of a field, such as `price.tiers[0].factor`. */
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (changed: Partial<PriceValues>, path: string) => void;
}

interface TokenPriceFieldsProps {
  readonly kinds: readonly PriceName[];
  /** The API's name of the object that has the prices. */
  readonly path: string;
  readonly tokens: TokenPriceTexts;
  readonly errors: PricePartProps['errors'];
  readonly onChange: (tokens: TokenPriceTexts, path: string) => void;
}

/** Prices of a million tokens. An empty price is that of the input or the output. */
export function TokenPriceFields({ kinds, path, tokens, errors, onChange }: TokenPriceFieldsProps) {
  const { t } = useText();
  const otherwise = (name: PriceName) =>
    usualText(name, tokens) ?? t(isOutput(name) ? 'routes.asOutput' : 'routes.asInput');
  const isNeeded = (name: PriceName) => name === 'input' || name === 'output';
  return (
    <div className={classes['fields']}>
      {kinds.map((name) => (
        <TextInput
          key={name}
          label={t(priceWords[name])}
          withAsterisk={isNeeded(name)}
          placeholder={isNeeded(name) ? '0.00' : otherwise(name)}
          inputMode="decimal"
          value={tokens[name]}
          error={errors[`${path}.${name}`]}
          onChange={({ currentTarget }) => onChange({ ...tokens, [name]: currentTarget.value }, `${path}.${name}`)}
        />
      ))}
    </div>
  );
}
