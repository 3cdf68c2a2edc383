import { Button, Group, Stack, TagsInput, Textarea, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { useAllRows } from '../../api/queries.ts';
import type { Resource } from '../../api/resource.ts';
import { firstPart, useFieldErrors, useFieldProblems } from '../../components/field-problems.ts';
import { useText } from '../../text/text.tsx';
import { CapabilityFields } from './capability-fields.tsx';
import { modelLabels } from './model-labels.ts';
import type { ModelValues } from './model-values.ts';
import { PriceFields, type PriceSetting } from './price-fields.tsx';
import { isPrice, priceProblems } from './price-problems.ts';
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
  /** The error of the last attempt to save. The form shows its problems at their fields. */
  readonly error: ApiError | null;
  /** The result of the last attempt to save. */
  readonly notice: ReactNode;
  readonly onSubmit: (values: ModelValues) => void;
  readonly onCancel: () => void;
}

/** The limit of the gateway. */
const descriptionLengthMax = 500;

/** The form of a model: names, routes, price and capabilities. */
export function ModelForm({ start, isNew, action, isBusy, error, notice, onSubmit, onCancel }: ModelFormProps) {
  const { t } = useText();
  const shown = { labels: modelLabels(t), pathOf };
  const errorsOf = useFieldErrors(shown);
  const upstreams = useAllRows<Resource>('/admin/v1/upstreams');
  const models = useAllRows<Resource>('/admin/v1/models');
  const form = useForm<ModelValues>({
    initialValues: start,
    validate: (values) => {
      const needed = t('common.required');
      return {
        ...(values.id.trim() === '' && { id: needed }),
        ...(values.surfaces.length === 0 && { surfaces: needed }),
        ...(values.routes.some(isCostWrong) && { routes: t('routes.costWrong') }),
        ...(values.routes.some(({ upstream }) => upstream === '') && { routes: t('routes.routeNeedsUpstream') }),
        ...(!values.isFree && errorsOf(priceProblems(values.price))),
      };
    },
  });
  useFieldProblems(form, error, shown);
  const { values } = form;
  const errorAt = (path: string): string | undefined =>
    typeof form.errors[path] === 'string' ? form.errors[path] : undefined;
  const setPrice = (changed: Partial<PriceSetting>, path: string) => {
    form.setValues(changed);
    form.setErrors(Object.fromEntries(Object.entries(form.errors).filter(([at]) => !isInside(at, path))));
  };
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
        <PriceFields values={values} errors={form.errors as Record<string, string>} onChange={setPrice} />
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

/** Each price has its own error. All routes have one together. */
function pathOf(field: string): string {
  return field.startsWith('price') ? field : firstPart(field);
}

function isInside(field: string, path: string): boolean {
  return field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`);
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
