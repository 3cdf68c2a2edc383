/**
 * `lost`: the source has it, the gateway will not. `guessed`: the source does not say it, the importer chose. `decision`:
 * the operator should decide before `--apply`. `info`: it is taken, in another form.
 */
export type Severity = 'lost' | 'guessed' | 'decision' | 'info';

/**
 * Texts by severity and code. Each names the problem, the value and the next step. Names in braces are parameters. Never
 * a secret.
 */
export type FindingTexts = Readonly<Partial<Record<Severity, Readonly<Record<string, string>>>>>;
