import { Checkbox, NumberInput, Select, TextInput } from '@mantine/core';
import { useText } from '../../text/text.tsx';
import type { RouteRow } from './route-order.ts';
import classes from './route-editor.module.css';

export interface RouteFieldsProps {
  readonly row: RouteRow;
  readonly upstreams: readonly string[];
  readonly modelId: string;
  readonly isFirst: boolean;
  /** A weight has an effect only then. */
  readonly isShared: boolean;
  readonly onChange: (changed: Partial<RouteRow>) => void;
}

/** The target of a route, and whether it shares its priority with the one above. */
export function RouteFields({ row, upstreams, modelId, isFirst, isShared, onChange }: RouteFieldsProps) {
  const { t } = useText();
  return (
    <div className={classes['fields']}>
      <Select
        label={t('upstreams.one')}
        data={upstreams.includes(row.upstream) || row.upstream === '' ? [...upstreams] : [...upstreams, row.upstream]}
        value={row.upstream || null}
        onChange={(upstream) => onChange({ upstream: upstream ?? '' })}
        searchable
        allowDeselect={false}
      />
      <TextInput
        label={t('routes.routeModel')}
        placeholder={modelId}
        value={row.model}
        onChange={({ currentTarget }) => onChange({ model: currentTarget.value })}
      />
      {(['costInput', 'costOutput'] as const).map((name) => (
        <TextInput
          key={name}
          label={t(name === 'costInput' ? 'routes.costInput' : 'routes.costOutput')}
          placeholder={row.otherFields.cost === 'free' ? t('routes.freeWord') : t('routes.costUnknown')}
          inputMode="decimal"
          value={row[name]}
          onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
        />
      ))}
      {!isFirst && (
        <Checkbox
          className={classes['share'] ?? ''}
          label={t('routes.sharesTraffic')}
          checked={row.together}
          onChange={({ currentTarget }) => onChange({ together: currentTarget.checked })}
        />
      )}
      {isShared && (
        <NumberInput
          label={t('routes.weight')}
          className={classes['weight'] ?? ''}
          min={1}
          max={1000}
          allowDecimal={false}
          value={row.weight}
          onChange={(weight) => onChange({ weight })}
        />
      )}
    </div>
  );
}
