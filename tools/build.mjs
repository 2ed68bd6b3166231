/**
 * Builds every package into its dist folder: TypeScript through project references, then the storefront's static files.
 * Files in dist whose source is gone are removed, because tsc leaves them and a folder read at run time would find them.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKAGES = ['contract', 'engine', 'storefront'];
const STATIC_EXTENSIONS = new Set(['.html', '.css', '.svg', '.png', '.ico', '.webmanifest']);

compile();
for (const name of PACKAGES) removeOrphans(join(root, 'packages', name));
copyStatic(join(root, 'packages', 'storefront'));

function compile() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const result = spawnSync(process.execPath, [tsc, '-b', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function removeOrphans(packageDir) {
  const dist = join(packageDir, 'dist');
  for (const file of filesUnder(dist)) {
    const source = join(packageDir, 'src', relative(dist, file));
    if (file.endsWith('.tsbuildinfo') || sourcesOf(source).some((candidate) => existsSync(candidate))) continue;
    rmSync(file);
  }
}

function sourcesOf(output) {
  const stem = output.replace(/(\.d)?\.(m?)[jt]s(\.map)?$/, '');
  return [output, `${stem}.ts`, `${stem}.mjs`, `${stem}.mts`];
}

function copyStatic(packageDir) {
  const src = join(packageDir, 'src');
  for (const file of filesUnder(src)) {
    if (!STATIC_EXTENSIONS.has(extname(file))) continue;
    const target = join(packageDir, 'dist', relative(src, file));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(file, target);
  }
}

function filesUnder(dir) {
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
