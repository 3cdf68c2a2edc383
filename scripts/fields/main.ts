import { sdkRequests } from './sdk-requests.ts';

// Usage: npm run fields
// Prints the fields of requests that the installed client libraries have and the table of fields that cost lacks. Each
// is a field that may make a provider spend, or name what belongs to another account: it needs an entry.
let found = 0;
for (const { name, version, unknown } of sdkRequests()) {
  found += unknown.length;
  for (const field of unknown) process.stdout.write(`${name} ${version}: ${field}\n`);
}
if (found === 0) process.stdout.write('The table has every field of the installed client libraries.\n');
process.exitCode = found === 0 ? 0 : 1;
