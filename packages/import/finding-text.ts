/**
 * `lost`: the source has it, the gateway will not. `guessed`: the source does not say it, the importer chose. `decision`:
 * the operator should decide before `--apply`. `info`: it is taken, in another form.
 */
export type Severity = 'lost' | 'guessed' | 'decision' | 'info';

interface FindingText<Level extends Severity, Written extends string> {
  readonly severity: Level;
  /** Names the problem, the value and the next step. Names in braces are parameters. Never a secret. */
  readonly text: Written;
}

export type FindingTexts = Readonly<Record<string, FindingText<Severity, string>>>;

type OfSeverity<Level extends Severity> = <Written extends string>(text: Written) => FindingText<Level, Written>;

export const lost: OfSeverity<'lost'> = (text) => ({ severity: 'lost', text });
export const guessed: OfSeverity<'guessed'> = (text) => ({ severity: 'guessed', text });
export const decision: OfSeverity<'decision'> = (text) => ({ severity: 'decision', text });
export const info: OfSeverity<'info'> = (text) => ({ severity: 'info', text });
