import { useEffect } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { type FieldLabels, type FieldProblem, useProblemText } from '../text/error-text.ts';
import { useText } from '../text/text.tsx';

/** The part of a form that receives errors. */
export interface FormErrors {
  readonly setErrors: (errors: Record<string, string>) => void;
}

interface FieldProblemOptions {
  readonly labels: FieldLabels;
  /** The name of a field in the form. Default: the first part of the API's name, in camel case. */
  readonly pathOf?: (field: string) => string;
}

/** Shows the problems that the gateway reports at the fields of the form. */
export function useFieldProblems(
  form: FormErrors,
  error: ApiError | null | undefined,
  options: FieldProblemOptions,
): void {
  const errorsOf = useFieldErrors(options);
  // Only a new error replaces the errors that the form shows: the user may have corrected some of them.
  useEffect(() => {
    if (error && error.problems.length > 0) form.setErrors(errorsOf(error.problems));
  }, [error]);
}

/** Returns a function that turns problems into the errors of a form, by field. */
export function useFieldErrors({ labels, pathOf = firstPart }: FieldProblemOptions) {
  const { t } = useText();
  const textOf = useProblemText(labels);
  return (problems: readonly FieldProblem[]): Record<string, string> => {
    const errors = new Map<string, string>();
    for (const problem of problems) {
      const path = pathOf(problem.field);
      // A part without an error text of its own, such as a route, is named in the text of the whole.
      const isAtField = path === problem.field || !/[.[]/.test(problem.field);
      const isMissing = isAtField && problem.reason === 'missing';
      const text = isMissing ? t('common.required') : textOf(problem, isAtField ? 'field' : 'elsewhere');
      errors.set(path, [errors.get(path), text].filter(Boolean).join(' '));
    }
    return Object.fromEntries(errors);
  };
}

/** `price_factor` as `priceFactor`, `models[2]` as `models`. */
export function firstPart(field: string): string {
  const [name = ''] = field.split(/[.[]/);
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
