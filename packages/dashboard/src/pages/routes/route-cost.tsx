import { SegmentedControl } from '@mantine/core';
import { MoreSettings } from '../../components/more-settings.tsx';
import { useText } from '../../text/text.tsx';
import { isInside, PriceSchedule } from './price-fields.tsx';
import type { CostValues } from './route-order.ts';
import classes from './route-editor.module.css';

export interface RouteCostProps {
  readonly cost: CostValues;
  /** The API's name of the cost, such as `routes[0].cost`. */
  readonly path: string;
  readonly errors: Readonly<Record<string, string>>;
  /** Sets the cost. The errors at and inside `path` no longer apply. */
  readonly onChange: (cost: CostValues, path: string) => void;
}

const states = { unknown: 'routes.costUnknown', free: 'routes.freeWord', priced: 'routes.costPriced' } as const;

/** The price that the provider charges for a route, with the same fields as the price of the model. */
export function RouteCost({ cost, path, errors, onChange }: RouteCostProps) {
  const { t } = useText();
  const { state, price } = cost;
  const { input, output } = price.tokens;
  const shown = state === 'priced' ? `${input || '–'} / ${output || '–'}` : t(states[state]);
  return (
    <div className={classes['cost']}>
      <MoreSettings
        title={t('routes.costIs', { cost: shown })}
        hasError={Object.keys(errors).some((at) => isInside(at, path))}
      >
        <SegmentedControl
          aria-label={t('routes.cost')}
          data={Object.entries(states).map(([value, word]) => ({ value, label: t(word) }))}
          value={state}
          onChange={(chosen) => onChange({ ...cost, state: chosen as CostValues['state'] }, path)}
          style={{ justifySelf: 'start' }}
        />
        {state === 'priced' && (
          <PriceSchedule
            path={path}
            price={price}
            errors={errors}
            onChange={(changed, at) => onChange({ ...cost, price: { ...price, ...changed } }, at)}
          />
        )}
      </MoreSettings>
    </div>
  );
}
