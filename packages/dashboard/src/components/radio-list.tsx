import { Radio, Stack } from '@mantine/core';

interface RadioListProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly description?: string }[];
  readonly onChange: (value: Value) => void;
}

/** One choice of a few, each with its explanation. */
export function RadioList<Value extends string>({ label, value, options, onChange }: RadioListProps<Value>) {
  return (
    <Radio.Group label={label} value={value} onChange={onChange}>
      <Stack gap="xs" mt={4}>
        {options.map((option) => (
          <Radio key={option.value} {...option} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
