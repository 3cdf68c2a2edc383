export type Environment = Readonly<Record<string, string | undefined>>;

interface Expansion {
  readonly text: string;
  /** Variables that are not set; the text keeps them as they were written. */
  readonly missing: readonly string[];
  /** Texts between the braces that are not valid variable names. */
  readonly malformed: readonly string[];
}

/** Replaces each `${NAME}` by the value of the environment variable. `$${` is a literal `${`. */
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
    // An empty variable counts as not set: no setting has a meaning when it is empty.
    if (value === undefined || value === '') {
      missing.push(name);
      return written;
    }
    return value;
  });
  return { text: expanded, missing, malformed };
}

/** Whether the text is exactly one variable. Then it contains no secret itself. */
export function isReference(text: string): boolean {
  return /^\$\{([^}]*)\}$/.test(text) && isVariableName(text.slice(2, -1));
}

export function isVariableName(text: string): boolean {
  return variableName.test(text);
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
