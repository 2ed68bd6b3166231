/** A mistake in the configuration, told so that it can be mended without reading the manual. */
export interface Mistake {
  /** Source and name: `SLUICE_PORT (environment)`, `port (sluice.config.json)`, `--port`. */
  readonly where: string;
  /** Never a secret. */
  readonly got: string;
  readonly wanted: string;
}

export function describeMistakes(mistakes: readonly Mistake[]): string {
  const head = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`;
  const lines = mistakes.map(({ where, got, wanted }) => `  ${where}: wanted ${wanted}, got ${got}`);
  return [`the configuration has ${head}:`, ...lines].join('\n');
}
