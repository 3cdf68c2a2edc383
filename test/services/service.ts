import { inject } from 'vitest';

/** Asks the process that started the tests for what all test files share, and returns what it says. */
export async function service(method: string, name: string, body?: string): Promise<string> {
  const response = await fetch(new URL(name, inject('services')), { method, body });
  const said = await response.text();
  if (!response.ok) throw new Error(said);
  return said;
}
