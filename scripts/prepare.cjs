// Writes the dashboard's API types and builds the dashboard after an installation. It is plain JavaScript, because any
// version of Node may run it.
const { existsSync } = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const root = path.join(__dirname, '..');
const manifest = path.join(root, 'node_modules/vite/package.json');

if (existsSync(manifest) && existsSync(path.join(root, 'dashboard/vite.config.ts'))) {
  const vite = path.join(path.dirname(manifest), require(manifest).bin.vite);
  for (const args of [['scripts/wire-types.ts'], [vite, 'build', 'dashboard', '--logLevel', 'warn']]) {
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
    process.exitCode ||= status ?? 1;
  }
} else {
  console.log('The dashboard is not built, because this installation has no development packages.');
}
