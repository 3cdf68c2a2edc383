import { TagsInput } from '@mantine/core';
import { useText, type FixedTextKey } from '../../text/text.tsx';
import { type FallbackReason, fallbackReasons, type FallbackValues } from './fallback-values.ts';

/** The names of the fallback reasons. */
export const fallbackWords: Readonly<Record<FallbackReason, FixedTextKey>> = {
  failure: 'routes.onFailure',
  context_overflow: 'routes.onOverflow',
  refusal: 'routes.onRefusal',
};

interface FallbackFieldsProps {
  readonly values: FallbackValues;
  readonly models: readonly string[];
  readonly onChange: (values: FallbackValues) => void;
}

/** The fallback models, per reason and in order. */
export function FallbackFields({ values, models, onChange }: FallbackFieldsProps) {
  const { t } = useText();
  return fallbackReasons.map((reason) => (
    <TagsInput
      key={reason}
      label={t(fallbackWords[reason])}
      placeholder={values[reason].length === 0 ? t('routes.noFallback') : ''}
      data={[...models]}
      maxTags={8}
      value={[...values[reason]]}
      onChange={(names) => onChange({ ...values, [reason]: names })}
    />
  ));
}
