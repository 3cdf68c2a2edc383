import { TagsInput, type TagsInputProps } from '@mantine/core';
import { useModels } from '../api/own-account.ts';
import { ModelPatternsInput } from './model-patterns.tsx';

interface ModelNamesProps extends TagsInputProps {
  /** Suggests all models instead of those of the chosen account. */
  readonly isOfOperator: boolean;
}

/** Selects models by id, alias or pattern. */
export function ModelNames({ isOfOperator, ...props }: ModelNamesProps) {
  return isOfOperator ? <ModelPatternsInput {...props} /> : <OwnModelNames {...props} />;
}

function OwnModelNames(props: TagsInputProps) {
  const names = useModels().data?.data.map(({ id }) => id) ?? [];
  return <TagsInput data={names} splitChars={[',', ' ']} acceptValueOnBlur clearable {...props} />;
}
