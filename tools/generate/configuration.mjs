import { factsOf } from '../../packages/engine/src/config/describe.ts';
import { SETTING_KEYS } from '../../packages/engine/src/config/settings.ts';
import { code, page, table } from './markdown.mjs';

const INTRO = `Every setting, from the schema that reads them. Later places win: defaults, \`sluice.config.json\` (or \`--config FILE\`), the
environment, the command line of \`sluice start\`. Secrets have no option, because a process list would show them. A mistake
anywhere is told, all of them at once, and nothing starts. \`sluice config print\` shows what is in effect and where it came from,
\`sluice config explain KEY\` what one does. How to choose values: [the guide](../guides/configuration.md).`;

export function configurationPage() {
  const rows = SETTING_KEYS.map(factsOf).map(({ key, env, flag, description, takes, secret, default: value }) => [
    code(key),
    `${code(env)}<br>${flag === null ? 'no option' : code(flag)}`,
    value === null ? 'none' : code(typeof value === 'string' ? value : JSON.stringify(value)),
    takes,
    `${description}${secret ? ' Secret: never shown.' : ''}`,
  ]);
  return page('Configuration', INTRO, table(['key', 'environment, option', 'default', 'takes', 'what for'], rows));
}
