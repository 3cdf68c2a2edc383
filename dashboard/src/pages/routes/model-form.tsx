import { Button, Group, Stack, Switch, TagsInput, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useAllRows } from '../../api/queries.ts';
import type { Resource } from '../../api/resource.ts';
import { useSession } from '../../api/session.ts';
import { useText } from '../../text/text.tsx';
import { CapabilityFields } from './capability-fields.tsx';
import { isPrice, type ModelValues, type PriceName, priceNames, priceWords } from './model-values.ts';
import type { RouteRow } from './route-order.ts';
import { ConstraintFields, FallbackFields } from './constraint-fields.tsx';
import { RouteEditor } from './route-editor.tsx';
import classes from './routes.module.css';

export interface ModelFormProps {
  readonly start: ModelValues;
  /** An existing model keeps its id. */
  readonly isNew: boolean;
  readonly action: string;
  readonly isBusy: boolean;
  /** The result of the last attempt to save. */
  readonly notice: ReactNode;
  readonly onSubmit: (values: ModelValues) => void;
  readonly onCancel: () => void;
}

/** The limit of the gateway. */
const descriptionLengthMax = 500;

/** The form of a model: names, routes, price and capabilities. */
export function ModelForm({ start, isNew, action, isBusy, notice, onSubmit, onCancel }: ModelFormProps) {
  const { t } = useText();
  const upstreams = useAllRows<Resource>('/admin/v1/upstreams');
  const models = useAllRows<Resource>('/admin/v1/models');
  const form = useForm<ModelValues>({
    initialValues: start,
    validate: (values) => {
      const needed = t('upstreams.required');
      const wrong = priceNames.filter((name) => values.price[name].trim() !== '' && !isPrice(values.price[name]));
      const missing = (['input', 'output'] as const).filter((name) => values.price[name].trim() === '');
      return {
        ...(values.id.trim() === '' && { id: needed }),
        ...(values.surfaces.length === 0 && { surfaces: needed }),
        ...(values.routes.some(isCostWrong) && { routes: t('routes.costWrong') }),
        ...(values.routes.some(({ upstream }) => upstream === '') && { routes: t('routes.routeNeedsUpstream') }),
        ...(!values.isFree && Object.fromEntries(missing.map((name) => [`price.${name}`, needed]))),
        ...(!values.isFree && Object.fromEntries(wrong.map((name) => [`price.${name}`, t('routes.priceWrong')]))),
      };
    },
  });
  const { values } = form;
  const errorAt = (path: string): string | undefined =>
    typeof form.errors[path] === 'string' ? form.errors[path] : undefined;
  return (
    <form noValidate onSubmit={form.onSubmit(onSubmit)} className={classes['form']}>
      <Part title={t('routes.partName')}>
        <TextInput
          label={t('routes.id')}
          description={isNew ? t('routes.idHelp') : t('routes.idStays')}
          withAsterisk={isNew}
          readOnly={!isNew}
          {...form.getInputProps('id')}
        />
        <TagsInput
          label={t('routes.aliases')}
          description={t('routes.aliasesHelp')}
          maxTags={64}
          {...form.getInputProps('aliases')}
          value={[...values.aliases]}
        />
        <Textarea
          label={t('routes.about')}
          description={t('routes.aboutHelp')}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={descriptionLengthMax}
          {...form.getInputProps('description')}
        />
      </Part>
      <Part title={t('routes.partRoutes')} text={t('routes.routesHelp')}>
        <RouteEditor
          rows={values.routes}
          upstreams={upstreams.data?.map(({ name }) => name) ?? []}
          modelId={values.id}
          error={errorAt('routes')}
          onChange={(rows) => form.setFieldValue('routes', rows)}
        />
      </Part>
      <Part title={t('routes.partFallbacks')} text={t('routes.fallbacksHelp')}>
        <FallbackFields
          values={values.fallbacks}
          models={models.data?.map(({ name }) => name).filter((name) => name !== values.id) ?? []}
          onChange={(fallbacks) => form.setFieldValue('fallbacks', fallbacks)}
        />
      </Part>
      <Part title={t('routes.partPrice')}>
        <PriceFields
          isFree={values.isFree}
          price={values.price}
          errorOf={(name) => errorAt(`price.${name}`)}
          onFree={(isFree) => form.setFieldValue('isFree', isFree)}
          onPrice={(name, text) => form.setFieldValue(`price.${name}`, text)}
        />
      </Part>
      <Part title={t('routes.partCapabilities')}>
        <CapabilityFields form={form} />
      </Part>
      <Part title={t('routes.partConstraints')} text={t('routes.constraintsHelp')}>
        <ConstraintFields
          values={values.constraints}
          onChange={(constraints) => form.setFieldValue('constraints', constraints)}
        />
      </Part>
      {notice}
      <Group gap="xs" mt="md">
        <Button type="submit" loading={isBusy}>
          {action}
        </Button>
        <Button variant="default" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </Group>
    </form>
  );
}

interface ModelFormPartProps {
  readonly title: string;
  readonly text?: string;
  readonly children: ReactNode;
}

/** Either both costs or none. */
function isCostWrong({ costInput, costOutput }: RouteRow): boolean {
  const given = [costInput, costOutput].filter((text) => text.trim() !== '');
  return given.length === 1 || !given.every(isPrice);
}

function Part({ title, text, children }: ModelFormPartProps) {
  return (
    <section className={classes['part']}>
      <div>
        <Title order={2} size="h3">
          {title}
        </Title>
        {text && <p className={classes['partText']}>{text}</p>}
      </div>
      <Stack gap="md">{children}</Stack>
    </section>
  );
}

interface PriceFieldsProps {
  readonly isFree: boolean;
  readonly price: ModelValues['price'];
  readonly errorOf: (name: PriceName) => string | undefined;
  readonly onFree: (isFree: boolean) => void;
  readonly onPrice: (name: PriceName, text: string) => void;
}

/** Prices per million tokens. An empty cache price means the input price. */
function PriceFields({ isFree, price, errorOf, onFree, onPrice }: PriceFieldsProps) {
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
