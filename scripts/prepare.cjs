// Checks the installed Node, writes the dashboard's API types and builds the dashboard. It is plain JavaScript, because
// any version of Node may run it.
const { existsSync } = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const root = path.join(__dirname, '..');
const manifest = path.join(root, 'node_modules/vite/package.json');

// npm may run this file with the installed Node. The Node that runs npm itself checks it.
const checker = process.env.npm_node_execpath || process.execPath;
const checked = spawnSync(checker, [path.join(root, 'bin/checked-node.cjs')], { stdio: 'inherit' });

if (checked.status !== 0) {
  process.exitCode = 1;
} else if (existsSync(manifest) && existsSync(path.join(root, 'dashboard/vite.config.ts'))) {
  const vite = path.join(path.dirname(manifest), require(manifest).bin.vite);
  for (const args of [['scripts/wire-types.ts'], [vite, 'build', 'dashboard', '--logLevel', 'warn']]) {
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
    process.exitCode ||= status ?? 1;
  }
} else {
  console.log('The dashboard is not built, because this installation has no development packages.');
}
