import { Button, Group, Stack, TagsInput, Textarea, TextInput, Title } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { useAllRows } from '../../api/queries.ts';
import type { Resource } from '../../api/resource.ts';
import { firstPart, useFieldErrors, useFieldProblems } from '../../components/field-problems.ts';
import { Form } from '../../components/form.tsx';
import { MoreSettings } from '../../components/more-settings.tsx';
import type { FieldProblem } from '../../text/error-text.ts';
import { useText } from '../../text/text.tsx';
import { CapabilityFields } from './capability-fields.tsx';
import { modelLabels } from './model-labels.ts';
import { advancedCount, type ModelValues } from './model-values.ts';
import { isInside, PriceFields } from './price-fields.tsx';
import { priceProblems } from './price-problems.ts';
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

/** The form of a model: its id, routes and price. Everything else is optional and behind a link. */
export function ModelForm({ start, isNew, action, isBusy, error, notice, onSubmit, onCancel }: ModelFormProps) {
  const { t } = useText();
  const shown = { labels: modelLabels(t), pathOf };
  const errorsOf = useFieldErrors(shown);
  const upstreams = useAllRows<Resource>('/admin/v1/upstreams');
  const form = useForm<ModelValues>({
    initialValues: start,
    validate: (values) => ({
      ...(values.id.trim() === '' && { id: t('common.required') }),
      ...(values.surfaces.length + values.endpoints.length === 0 && { surfaces: t('routes.surfacesMissing') }),
      ...(values.routes.some(({ upstream }) => upstream === '') && { routes: t('routes.routeNeedsUpstream') }),
      ...(!values.isFree && errorsOf(priceProblems(values.price))),
      ...errorsOf(values.routes.flatMap(costProblems)),
    }),
  });
  useFieldProblems(form, error, shown);
  const { values } = form;
  const errors = Object.fromEntries(
    Object.entries(form.errors).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const change = (changed: Partial<ModelValues>, path: string) => {
    form.setValues(changed);
    form.setErrors(Object.fromEntries(Object.entries(form.errors).filter(([at]) => !isInside(at, path))));
  };
  return (
    <Form onSubmit={form.onSubmit(onSubmit)} className={classes['form']}>
      <Part title={t('routes.partModel')} text={t('routes.routesHelp')}>
        <TextInput
          label={t('routes.id')}
          description={isNew ? t('routes.idHelp') : t('routes.idStays')}
          withAsterisk={isNew}
          readOnly={!isNew}
          {...form.getInputProps('id')}
        />
        <RouteEditor
          rows={values.routes}
          upstreams={upstreams.data?.map(({ name }) => name) ?? []}
          modelId={values.id}
          errors={errors}
          onChange={(routes, path) => change({ routes }, path)}
        />
      </Part>
      <Part title={t('routes.partPrice')}>
        <PriceFields values={values} errors={errors} onChange={change} />
      </Part>
      <Stack gap="lg" mb="xl">
        <MoreSettings
          title={t('routes.advanced')}
          count={advancedCount(values)}
          hasError={Object.keys(errors).some(isAdvanced)}
        >
          <AdvancedParts form={form} />
        </MoreSettings>
      </Stack>
      {notice}
      <Group gap="xs" mt="md">
        <Button type="submit" loading={isBusy}>
          {action}
        </Button>
        <Button variant="default" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </Group>
    </Form>
  );
}

/** Everything that a model does not need to be saved. */
function AdvancedParts({ form }: { readonly form: UseFormReturnType<ModelValues> }) {
  const { t } = useText();
  const { values } = form;
  const models = useAllRows<Resource>('/admin/v1/models');
  return (
    <>
      <Part title={t('routes.partName')}>
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
      <Part title={t('routes.partCapabilities')}>
        <CapabilityFields form={form} />
      </Part>
      <Part title={t('routes.partFallbacks')} text={t('routes.fallbacksHelp')}>
        <FallbackFields
          values={values.fallbacks}
          models={models.data?.map(({ name }) => name).filter((name) => name !== values.id) ?? []}
          onChange={(fallbacks) => form.setFieldValue('fallbacks', fallbacks)}
        />
      </Part>
      <Part title={t('routes.partConstraints')} text={t('routes.constraintsHelp')}>
        <ConstraintFields
          values={values.constraints}
          onChange={(constraints) => form.setFieldValue('constraints', constraints)}
        />
      </Part>
    </>
  );
}

/** Whether a field is under "Advanced". */
function isAdvanced(field: string): boolean {
  return !/^(id|routes|price|pricedFields|priced_fields)([.[]|$)/.test(field);
}

function costProblems({ cost }: RouteRow, index: number): readonly FieldProblem[] {
  return cost.state === 'priced' ? priceProblems(cost.price, `routes[${index}].cost`) : [];
}

/** Each price has its own error. The other fields of all routes have one together. */
function pathOf(field: string): string {
  return /^(price|routes\[\d+\]\.cost)/.test(field) ? field : firstPart(field);
}

interface ModelFormPartProps {
  readonly title: string;
  readonly text?: string;
  readonly children: ReactNode;
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
