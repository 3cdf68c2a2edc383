export type Environment = Readonly<Record<string, string | undefined>>;

interface Expansion {
  readonly text: string;
  /** Variables that are not set; the text keeps them as they were written. */
  readonly missing: readonly string[];
  /** What stands between the braces but cannot be a variable's name. */
  readonly malformed: readonly string[];
}

/** Replaces each `${NAME}` by the environment's value. `$${` stands for a literal `${`. */
export function expandVariables(text: string, env: Environment): Expansion {
  const missing: string[] = [];
  const malformed: string[] = [];
  const expanded = text.replace(/(\$?)\$\{([^}]*)(\}?)/g, (written, escape: string, name: string, end: string) => {
    if (escape) return written.slice(1);
    if (end === '' || !variableName.test(name)) {
      malformed.push(name);
      return written;
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    // A variable set to nothing is a forgotten one: no setting of ours means anything when empty.
    if (value === undefined || value === '') {
      missing.push(name);
      return written;
    }
    return value;
  });
  return { text: expanded, missing, malformed };
}

/** Whether the text is one variable and nothing else, so that it holds no secret itself. */
export function isReference(text: string): boolean {
  return /^\$\{([^}]*)\}$/.test(text) && variableName.test(text.slice(2, -1));
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
