/**
 * Holds the imports of every source file against .dependency-cruiser.mjs, and insists that every file was looked at:
 * with a compiler it does not know, the cruiser sees no module, finds nothing wrong and would pass.
 */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

const options = await extractDepcruiseOptions(join(root, '.dependency-cruiser.mjs'));
const { output } = await cruise(['packages', 'tests'].filter(existsSync), options, undefined, {
  tsConfig: extractTSConfig(join(root, 'tsconfig.json')),
});

const seen = new Set(output.modules.map((module) => module.source));
const unseen = sourceFiles().filter((file) => !seen.has(file));
const violations = output.summary.violations;

const comments = new Map(options.ruleSet.forbidden.map((rule) => [rule.name, rule.comment]));

for (const { rule, from, to, cycle } of violations) {
  const path = cycle ? cycle.map((step) => step.name).join(' -> ') : to;
  const comment = comments.get(rule.name);
  console.error(`${rule.name}: ${from} -> ${path}${comment ? `\n    ${comment}` : ''}`);
}
for (const file of unseen) console.error(`not looked at: ${file}`);
if (output.modules.length === 0) console.error('no module was seen at all');

console.log(`${output.summary.totalCruised} modules, ${output.summary.totalDependenciesCruised} imports`);
process.exitCode = violations.length > 0 || unseen.length > 0 || seen.size === 0 ? 1 : 0;

function sourceFiles() {
  return readdirSync(join(root, 'packages'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)).replaceAll('\\', '/'))
    .filter((file) => /^packages\/[^/]+\/src\//.test(file));
}
