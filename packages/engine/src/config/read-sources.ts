/** Reads what the configuration is loaded from: the file, and the environment, which nothing else in Sluice may read. */
import { readFileSync } from 'node:fs';
import { type ConfigFile, type ConfigResult, type ConfigSources, loadConfig } from './load.ts';

const CONFIG_FILE = 'sluice.config.json';

/** `configFile` must be there when it is named; `sluice.config.json` in the working directory may be. */
export function loadConfigHere(flags: ConfigSources['flags'], configFile?: string): ConfigResult {
  const name = configFile ?? CONFIG_FILE;
  let file: ConfigFile | null = null;
  try {
    file = { name, text: readFileSync(name, 'utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || configFile !== undefined) {
      const where = configFile === undefined ? name : `--config ${name}`;
      return {
        kind: 'mistaken',
        mistakes: [{ where, got: `${code ?? 'an error'} on reading it`, wanted: 'a file that can be read' }],
      };
    }
  }
  return loadConfig({ env: process.env, file, flags });
}
