/**
 * `lost`: the source has it, the gateway will not. `guessed`: the source does not say it, the importer chose. `decision`:
 * the operator should decide before `--apply`. `info`: it is taken, in another form.
 */
export type Severity = 'lost' | 'guessed' | 'decision' | 'info';

interface FindingText {
  readonly severity: Severity;
  /** Names the problem, the value and the next step. Names in braces are parameters. Never a secret. */
  readonly text: string;
}

export type FindingTexts = Readonly<Record<string, FindingText>>;
