import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Text,
  TextInput,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { ArrowDownIcon, ArrowUpIcon, CloseIcon, PlusIcon } from '../../icons.tsx';
import { weekdays } from 'chat-formats/price.ts';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { emptyTier, nextKey, priceNames, type TierValues } from './price-values.ts';
import { type PricePartProps, TokenPriceFields } from './token-price-fields.tsx';
import classes from './price-rows.module.css';

/** The tiers of a price. Their order decides which of them replaces the prices. */
export function TierEditor({ price: { tiers, timeZone }, path: schedule, errors, onChange }: PricePartProps) {
  const { t } = useText();
  const replace = (index: number, tier: TierValues, path: string) =>
    onChange({ tiers: tiers.map((each, at) => (at === index ? tier : each)) }, path);
  // Errors name tiers by their position.
  const reorder = (next: readonly TierValues[]) => onChange({ tiers: next }, `${schedule}.tiers`);
  const add = (given: Partial<TierValues>) => reorder([...tiers, emptyTier(nextKey(tiers), given)]);
  return (
    <>
      <ol className={classes['list']}>
        {tiers.map((tier, index) => (
          <li key={tier.key} className={classes['row']}>
            <Tier
              tier={tier}
              index={index}
              path={`${schedule}.tiers[${index}]`}
              errors={errors}
              onChange={(changed, path) => replace(index, changed, path)}
              actions={
                <TierActions
                  name={t('routes.tier', { place: index + 1 })}
                  onUp={index === 0 ? undefined : () => reorder(swapped(tiers, index - 1))}
                  onDown={index === tiers.length - 1 ? undefined : () => reorder(swapped(tiers, index))}
                  onRemove={() => reorder(tiers.filter(({ key }) => key !== tier.key))}
                />
              }
            />
          </li>
        ))}
      </ol>
      {tiers.some(({ days, from, to }) => days.length > 0 || from + to !== '') && (
        <Autocomplete
          label={t('routes.timeZone')}
          placeholder="UTC"
          data={Intl.supportedValuesOf('timeZone')}
          limit={50}
          value={timeZone}
          error={errors[`${schedule}.time_zone`]}
          onChange={(zone) => onChange({ timeZone: zone }, `${schedule}.time_zone`)}
        />
      )}
      <Group gap="xs" mt={tiers.length === 0 ? 0 : 'sm'}>
        <AddButton label={t('routes.addLongTier')} onClick={() => add({ effect: 'prices', promptOver: 200_000 })} />
        <AddButton label={t('routes.addServiceTier')} onClick={() => add({})} />
        <AddButton label={t('routes.addBatchTier')} onClick={() => add({ serviceTier: 'batch', factor: '0.5' })} />
      </Group>
    </>
  );
}

/** Exchanges a row with the next one. */
function swapped(tiers: readonly TierValues[], index: number): readonly TierValues[] {
  const [one, other] = tiers.slice(index, index + 2);
  return one && other ? [...tiers.slice(0, index), other, one, ...tiers.slice(index + 2)] : tiers;
}

interface TierActionsProps {
  readonly name: string;
  readonly onUp: (() => void) | undefined;
  readonly onDown: (() => void) | undefined;
  readonly onRemove: () => void;
}

function TierActions({ name, onUp, onDown, onRemove }: TierActionsProps) {
  const { t } = useText();
  const actions = [
    { icon: <ArrowUpIcon size={16} />, label: t('routes.moveUp', { upstream: name }), run: onUp },
    { icon: <ArrowDownIcon size={16} />, label: t('routes.moveDown', { upstream: name }), run: onDown },
    {
      icon: <CloseIcon size={16} />,
      label: t('common.fieldInside', { group: name, field: t('common.remove') }),
      run: onRemove,
    },
  ];
  return (
    <div className={classes['buttons']}>
      {actions.map(({ icon, label, run }) => (
        <ActionIcon key={label} variant="transparent" color="gray" disabled={!run} aria-label={label} onClick={run}>
          {icon}
        </ActionIcon>
      ))}
    </div>
  );
}

function AddButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <Button variant="default" size="xs" leftSection={<PlusIcon size={14} />} onClick={onClick}>
      {label}
    </Button>
  );
}

/** Conditions that are texts, with usual ones. Others can be typed. */
const levels = [
  ['serviceTier', 'service_tier', 'routes.serviceTier', ['priority', 'flex', 'batch']],
  ['speed', 'speed', 'routes.speed', ['fast']],
  ['region', 'region', 'routes.region', ['us']],
  ['from', 'from', 'routes.from', ['00:30']],
  ['to', 'to', 'routes.to', ['08:30']],
] as const;

interface TierProps {
  readonly tier: TierValues;
  readonly index: number;
  readonly path: string;
  readonly errors: PricePartProps['errors'];
  readonly onChange: (tier: TierValues, path: string) => void;
  readonly actions: ReactNode;
}

/** The conditions of a tier, and either a factor or prices. */
function Tier({ tier, index, path, errors, onChange, actions }: TierProps) {
  const { t } = useText();
  const format = useFormat();
  const wrong = errors[`${path}.when`] ?? errors[path];
  // A condition that appears also ends the error of a tier without conditions.
  const setCondition = (changed: Partial<TierValues>) => onChange({ ...tier, ...changed }, `${path}.when`);
  return (
    <fieldset className={classes['tier']}>
      <legend className={classes['head']}>{t('routes.tier', { place: index + 1 })}</legend>
      {actions}
      <div className={classes['fields']}>
        <NumberInput
          label={t('routes.promptOver')}
          placeholder={t('routes.anyValue')}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          value={tier.promptOver}
          error={errors[`${path}.when.prompt_over`]}
          onChange={(promptOver) => setCondition({ promptOver })}
        />
        {levels.map(([field, name, label, known]) => (
          <Autocomplete
            key={field}
            label={t(label)}
            placeholder={t('routes.anyValue')}
            data={[...known]}
            value={tier[field]}
            error={errors[`${path}.when.${name}`]}
            onChange={(level) => setCondition({ [field]: level })}
          />
        ))}
        <MultiSelect
          label={t('routes.days')}
          placeholder={tier.days.length === 0 ? t('routes.anyValue') : ''}
          data={weekdays.map((day) => ({ value: day, label: format.weekday(day) }))}
          value={[...tier.days]}
          error={errors[`${path}.when.days`]}
          onChange={(days) => setCondition({ days: weekdays.filter((day) => days.includes(day)) })}
        />
      </div>
      {wrong && (
        <Text fz="xs" c="var(--chart-bad)" role="alert">
          {wrong}
        </Text>
      )}
      <SegmentedControl
        aria-label={t('routes.tierEffect')}
        data={[
          { value: 'factor', label: t('routes.tierFactor') },
          { value: 'prices', label: t('routes.tierPrices') },
        ]}
        value={tier.effect}
        onChange={(effect) => onChange({ ...tier, effect: effect === 'factor' ? 'factor' : 'prices' }, path)}
        style={{ justifySelf: 'start' }}
      />
      {tier.effect === 'factor' ? (
        <TextInput
          label={t('routes.factor')}
          description={t('routes.factorHelp')}
          placeholder="0.5"
          inputMode="decimal"
          withAsterisk
          value={tier.factor}
          error={errors[`${path}.factor`]}
          onChange={({ currentTarget }) => onChange({ ...tier, factor: currentTarget.value }, `${path}.factor`)}
        />
      ) : (
        <TokenPriceFields
          kinds={priceNames}
          path={path}
          tokens={tier.tokens}
          errors={errors}
          onChange={(tokens, changed) => onChange({ ...tier, tokens }, changed)}
        />
      )}
    </fieldset>
  );
}
