import { ActionIcon, Button, Checkbox, NumberInput, Select, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ArrowDownIcon, ArrowUpIcon, CloseIcon, GripIcon, PlusIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { RouteCost } from './route-cost.tsx';
import { isShared, moved, type RouteRow, without, withRoute } from './route-order.ts';
import classes from './route-editor.module.css';

export interface RouteEditorProps {
  readonly rows: readonly RouteRow[];
  readonly upstreams: readonly string[];
  /** The default model name of a route. */
  readonly modelId: string;
  /** By the API's name of a field. `routes` has the problems of all routes. */
  readonly errors: Readonly<Record<string, string>>;
  /** Sets the rows. The errors at and inside `path` no longer apply. */
  readonly onChange: (rows: readonly RouteRow[], path: string) => void;
}

/** Routes in failover order. The user moves them by dragging, with buttons, or with the arrow keys on the handle. */
export function RouteEditor({ rows, upstreams, modelId, errors, ...props }: RouteEditorProps) {
  const { t } = useText();
  const { routes: error } = errors;
  // Errors name routes by their position.
  const onChange = (next: readonly RouteRow[], path = 'routes') => props.onChange(next, path);
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  const [announcement, setAnnouncement] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const [focused, setFocused] = useState<number>();

  // Moving a node in the document removes its focus.
  useEffect(() => {
    if (focused === undefined) return;
    list.current?.querySelector<HTMLElement>(`[data-handle="${focused}"]`)?.focus();
    setFocused(undefined);
  }, [focused]);

  const move = (from: number, to: number) => {
    const row = rows[from];
    const next = moved(rows, from, to);
    if (!row || next === rows) return;
    onChange(next);
    setAnnouncement(t('routes.movedTo', { upstream: row.upstream, place: to + 1, count: rows.length }));
  };
  const byKey = (event: KeyboardEvent, index: number, key: number) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (step === 0) return;
    event.preventDefault();
    move(index, index + step);
    setFocused(key);
  };
  const change = (index: number, changed: Partial<RouteRow>, path?: string) =>
    onChange(
      rows.map((row, each) => (each === index ? { ...row, ...changed } : row)),
      path,
    );
  const drop = (to: number) => {
    if (dragged !== undefined) move(dragged, to);
    setDragged(undefined);
    setOver(undefined);
  };

  return (
    <div>
      <ol ref={list} className={classes['list']}>
        {rows.map((row, index) => (
          <li
            key={row.key}
            className={`${classes['row']} ${row.together ? classes['together'] : ''} ${over === index && dragged !== index ? classes['over'] : ''} ${dragged === index ? classes['dragged'] : ''}`}
            onDragOver={(event) => {
              if (dragged === undefined) return;
              event.preventDefault();
              setOver(index);
            }}
            onDrop={(event) => {
              event.preventDefault();
              drop(index);
            }}
          >
            <button
              type="button"
              className={classes['handle']}
              data-handle={row.key}
              draggable
              aria-label={t('routes.handle', {
                upstream: row.upstream || t('common.unknown'),
                place: index + 1,
                count: rows.length,
              })}
              title={t('routes.handleHelp')}
              onKeyDown={(event) => byKey(event, index, row.key)}
              onDragStart={(event) => {
                event.dataTransfer.effectAllowed = 'move';
                event.dataTransfer.setData('text/plain', row.upstream);
                setDragged(index);
              }}
              onDragEnd={() => {
                setDragged(undefined);
                setOver(undefined);
              }}
            >
              <GripIcon size={16} />
            </button>
            <RouteFields
              row={row}
              upstreams={upstreams}
              modelId={modelId}
              isFirst={index === 0}
              isShared={isShared(rows, index)}
              hasError={error !== undefined && row.upstream === ''}
              onChange={(changed) => change(index, changed)}
            >
              <RouteCost
                cost={row.cost}
                path={`routes[${index}].cost`}
                errors={errors}
                onChange={(cost, path) => change(index, { cost }, path)}
              />
            </RouteFields>
            <div className={classes['buttons']}>
              <ActionIcon
                variant="transparent"
                color="gray"
                disabled={index === 0}
                aria-label={t('routes.moveUp', { upstream: row.upstream })}
                onClick={() => move(index, index - 1)}
              >
                <ArrowUpIcon size={16} />
              </ActionIcon>
              <ActionIcon
                variant="transparent"
                color="gray"
                disabled={index === rows.length - 1}
                aria-label={t('routes.moveDown', { upstream: row.upstream })}
                onClick={() => move(index, index + 1)}
              >
                <ArrowDownIcon size={16} />
              </ActionIcon>
              <ActionIcon
                variant="transparent"
                color="gray"
                disabled={rows.length === 1}
                aria-label={t('routes.removeRoute', { upstream: row.upstream })}
                onClick={() => onChange(without(rows, index))}
              >
                <CloseIcon size={16} />
              </ActionIcon>
            </div>
          </li>
        ))}
      </ol>
      {error && (
        <Text fz="xs" c="var(--chart-bad)" mt={4} role="alert">
          {error}
        </Text>
      )}
      <Button
        variant="default"
        size="xs"
        mt="sm"
        leftSection={<PlusIcon size={14} />}
        onClick={() => onChange(withRoute(rows, ''))}
      >
        {t('routes.addRoute')}
      </Button>
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
    </div>
  );
}

interface RouteFieldsProps {
  readonly row: RouteRow;
  readonly upstreams: readonly string[];
  readonly modelId: string;
  readonly isFirst: boolean;
  /** A weight has an effect only then. */
  readonly isShared: boolean;
  readonly hasError: boolean;
  readonly onChange: (changed: Partial<RouteRow>) => void;
  readonly children: ReactNode;
}

/** The target of a route, and whether it shares its priority with the one above. */
function RouteFields({ row, upstreams, modelId, onChange, ...props }: RouteFieldsProps) {
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
        withAsterisk
        error={props.hasError}
      />
      <TextInput
        label={t('routes.routeModel')}
        placeholder={modelId}
        value={row.model}
        onChange={({ currentTarget }) => onChange({ model: currentTarget.value })}
      />
      {!props.isFirst && (
        <Checkbox
          className={classes['share'] ?? ''}
          label={t('routes.sharesTraffic')}
          checked={row.together}
          onChange={({ currentTarget }) => onChange({ together: currentTarget.checked })}
        />
      )}
      {props.isShared && (
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
      {props.children}
    </div>
  );
}
