/** Names the variable with the address of the services that test files share. Unset outside of a test run. */
export const servicesVariable = 'TEST_SERVICES';

export const areServicesRunning = process.env[servicesVariable] !== undefined;

/** Requests a shared service from the process that started the tests; see `test/suite/global-setup.ts`. */
export async function service(method: string, name: string, body?: string): Promise<string> {
  const response = await fetch(new URL(name, process.env[servicesVariable]), { method, body });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
