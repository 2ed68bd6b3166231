import { exitStatusLines } from '../../packages/engine/src/cli/command-failed.ts';
import { createProgram } from '../../packages/engine/src/cli/program.ts';
import { page } from './markdown.mjs';

/** Wide enough that few descriptions wrap, narrow enough for a page. */
const HELP_WIDTH = 120;

const INTRO = `What \`sluice COMMAND --help\` says, for every command. In a clone of the repository it is \`npx sluice\`. Results go to stdout, everything
else to stderr; with \`--json\` there is one document on stdout.`;

export function commandsPage() {
  const program = createProgram('0');
  const leaves = leavesOf(program, []);
  const statuses = ['## Exit status', '', '```text', ...exitStatusLines(), '```'].join('\n');
  return page('Commands', INTRO, [...leaves.map(section), statuses].join('\n\n'));
}

function leavesOf(command, path) {
  if (command.commands.length === 0) return [{ command, path }];
  return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}

function section({ command, path }) {
  let text = '';
  const add = (part) => {
    text += part;
  };
  command.configureOutput({
    writeOut: add,
    writeErr: add,
    getOutHelpWidth: () => HELP_WIDTH,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return [`## sluice ${path.join(' ')}`, '', '```text', text.trim(), '```'].join('\n');
}
