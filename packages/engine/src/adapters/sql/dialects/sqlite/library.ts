/**
 * SQLite itself: Node's own where this Node has it without a flag (22.13 and later), else the same API from a prebuilt
 * package.
 */
import type { DatabaseSync } from '@photostructure/sqlite';

export interface SqliteLibrary {
  readonly DatabaseSync: new (file: string, options: { readonly timeout: number }) => SqliteDatabase;
}

export type SqliteDatabase = Pick<InstanceType<typeof DatabaseSync>, 'exec' | 'prepare' | 'close'>;
export type SqliteStatement = ReturnType<SqliteDatabase['prepare']>;

export async function loadSqlite(): Promise<SqliteLibrary> {
  return builtIn() ?? (await import('@photostructure/sqlite'));
}

function builtIn(): SqliteLibrary | undefined {
  const { emitWarning } = process;
  // Node warns that its SQLite is experimental; the warning is for us, not for those who run Sluice.
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite') as SqliteLibrary | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
