import { Alert, Button, Checkbox, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAllRows } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import type { Resource } from '../../api/resource.ts';
import { useSession } from '../../api/session.ts';
import type { KnownModel, UpstreamTest } from '../../api/wire.ts';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { useText } from '../../text/text.tsx';
import { modelLabels } from '../routes/model-labels.ts';
import { isPrice } from '../routes/price-problems.ts';
import { canBeAdded, type ChosenModel, chosenModel, entryOf } from './chosen-models.ts';
import classes from './upstream.module.css';

export interface AddManyProps {
  readonly upstream: string;
  readonly test: Pick<UpstreamTest, 'models' | 'known'>;
  readonly onClose: () => void;
}

type ChosenModels = ReadonlyMap<string, ChosenModel>;

/** Adds many models of a provider to the catalog in one step, at suggested or typed prices. */
export function AddMany({ upstream, test, onClose }: AddManyProps) {
  const { t } = useText();
  const { currency } = useSession();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<ChosenModels>(new Map());
  const [isTried, setIsTried] = useState(false);
  const existing = useAllRows<Resource>('/admin/v1/models');
  const existingNames = new Set(existing.data?.map(({ name }) => name));
  const known = new Map(test.known.map((each) => [each.model, each]));
  const query = search.trim().toLowerCase();
  const shown = test.models.filter((model) => model.toLowerCase().includes(query));
  const add = useWrite<unknown, readonly ChosenModel[]>({
    path: '/admin/v1/model-batches',
    send: (models) => ({ models: models.map((model) => entryOf(model, upstream)) }),
    changes: ['/admin/v1/models', '/admin/v1/catalog'],
    successMessage: ({ length: count }) => t('upstreams.addedMany', { count }),
  });
  const fresh = (model: string) => chosenModel(model, known.get(model), currency);
  const setModel = (model: string, value: ChosenModel | undefined) => {
    const next = new Map(chosen);
    if (value) next.set(model, value);
    else next.delete(model);
    setChosen(next);
  };
  const choosePriced = () => {
    const priced = shown.filter((model) => known.has(model) && !existingNames.has(model));
    setChosen(new Map([...chosen, ...priced.map((model) => [model, chosen.get(model) ?? fresh(model)] as const)]));
  };
  const submit = () => {
    setIsTried(true);
    const models = [...chosen.values()];
    if (models.length === 0 || !models.every(canBeAdded)) return;
    add.mutate(models, { onSuccess: onClose });
  };
  return (
    <EntryDialog
      isOpen
      isInAddress
      title={t('upstreams.addMany')}
      action={t('upstreams.addChosen', { count: chosen.size })}
      isBusy={add.isPending}
      error={add.error}
      labels={modelLabels(t)}
      onSubmit={submit}
      onClose={onClose}
    >
      <Alert color="gray">{t(currency === 'USD' ? 'upstreams.pricesToCheck' : 'upstreams.pricesElsewhere')}</Alert>
      <Group gap="xs">
        <TextInput
          flex={1}
          aria-label={t('upstreams.searchModels')}
          placeholder={t('upstreams.searchModels')}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <Button variant="default" onClick={choosePriced}>
          {t('upstreams.choosePriced')}
        </Button>
      </Group>
      <ul className={classes['choices']} aria-label={t('upstreams.testModels')}>
        {shown.map((model) => (
          <ModelChoice
            key={model}
            model={model}
            known={known.get(model)}
            isTaken={existingNames.has(model)}
            chosen={chosen.get(model)}
            isTried={isTried}
            onToggle={(isOn) => setModel(model, isOn ? fresh(model) : undefined)}
            onChange={(value) => setModel(model, value)}
          />
        ))}
      </ul>
      {isTried && chosen.size === 0 && (
        <Text fz="sm" c="red" role="alert">
          {t('upstreams.chooseSome')}
        </Text>
      )}
    </EntryDialog>
  );
}

interface ModelChoiceProps {
  readonly model: string;
  readonly known: KnownModel | undefined;
  /** The catalog already has a model of this name. */
  readonly isTaken: boolean;
  readonly chosen: ChosenModel | undefined;
  /** Whether to show errors for missing prices. */
  readonly isTried: boolean;
  readonly onToggle: (isOn: boolean) => void;
  readonly onChange: (value: ChosenModel) => void;
}

/** One model of the provider's list: whether it is added, and at which prices. */
function ModelChoice({ model, known, isTaken, chosen, isTried, onToggle, onChange }: ModelChoiceProps) {
  const { t } = useText();
  const problemOf = (typed: string) => {
    if (typed.trim() === '') return t('upstreams.priceMissing');
    return isPrice(typed) ? undefined : t('routes.priceWrong');
  };
  const price = (name: 'input' | 'output', label: string) => (
    <TextInput
      size="xs"
      w={120}
      label={label}
      aria-label={`${model}: ${label}`}
      inputMode="decimal"
      value={chosen?.[name] ?? ''}
      error={isTried && problemOf(chosen?.[name] ?? '')}
      onChange={({ currentTarget }) => chosen && onChange({ ...chosen, [name]: currentTarget.value })}
    />
  );
  return (
    <li className={classes['choice']}>
      <Checkbox
        label={model}
        description={
          isTaken
            ? t('upstreams.alreadyThere')
            : known && t('upstreams.knownAs', { model: known.known_as, date: known.as_of })
        }
        disabled={isTaken}
        checked={chosen !== undefined}
        onChange={({ currentTarget }) => onToggle(currentTarget.checked)}
      />
      {chosen && (
        <Group gap="xs" align="flex-start" className={classes['prices']}>
          {price('input', t('upstreams.priceIn'))}
          {price('output', t('upstreams.priceOut'))}
          {known && !chosen.known && (
            <Text fz="xs" c="dimmed">
              {known.price['input']} / {known.price['output']} {known.currency}
            </Text>
          )}
        </Group>
      )}
    </li>
  );
}
