// Checks the installed Node, writes the dashboard's API types and the schema for editors, and builds the dashboard and the
// documentation site. It is plain JavaScript, because any version of Node may run it.
const { existsSync } = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');

const root = path.join(__dirname, '..');

// npm may run this file with the installed Node. The Node that runs npm itself checks it.
const checker = process.env.npm_node_execpath || process.execPath;
const checked = spawnSync(checker, [path.join(root, 'bin/checked-node.cjs')], { stdio: 'inherit' });

if (checked.status !== 0) {
  process.exitCode = 1;
} else if (program('vite') && existsSync(path.join(root, 'packages/dashboard/vite.config.ts'))) {
  // The site takes longer than the rest, so it is built at the same time.
  const site = spawn(process.execPath, [program('vitepress'), 'build', 'docs'], { cwd: root, stdio: 'ignore' });
  site.on('exit', (status) => {
    if (status !== 0) console.error('The documentation site is not built. `npm run build:docs` shows the reason.');
  });
  const steps = [
    ['scripts/configuration-schema.ts'],
    ['scripts/wire-types.ts'],
    [program('vite'), 'build', 'packages/dashboard', '--logLevel', 'warn'],
  ];
  for (const args of steps) {
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
    process.exitCode ||= status ?? 1;
  }
} else {
  console.log('The dashboard and the documentation site are not built, because development packages are missing.');
}

/** The file of an installed package that its command runs. */
function program(name) {
  const manifest = path.join(root, 'node_modules', name, 'package.json');
  return existsSync(manifest) ? path.join(path.dirname(manifest), require(manifest).bin[name]) : undefined;
}
