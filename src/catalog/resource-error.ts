import { type Finding, pathText } from '../config/problem.ts';

/** A change of resources that was refused, with what to do instead. Nothing was changed. */
export class ResourceError extends Error {
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.name = 'ResourceError';
    this.fix = fix;
  }

  /** What is wrong and what to do about it, in whole sentences. */
  get advice(): string {
    return `${this.message}${this.message.endsWith('.') ? '' : '.'} ${this.fix}`;
  }
}

/** All findings in one refusal. */
export function refusal(subject: string, findings: readonly Finding[]): ResourceError {
  const sentences = findings.map(({ path, message }) => `${pathText(path)} ${message}`.trim());
  const fixes = new Set(findings.map(({ fix }) => fix));
  return new ResourceError(`${subject}: ${sentences.join('; ')}`, [...fixes].join(' '));
}
