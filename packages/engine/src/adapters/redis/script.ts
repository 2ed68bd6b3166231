/** A Lua script with what its head promises; `commands.ts` is written from the scripts themselves. */
export interface Script {
  readonly name: string;
  readonly keys: readonly string[];
  readonly arguments: readonly string[];
  /** Any number of further arguments may follow. */
  readonly takesMore: boolean;
  /** What the numbers of its reply mean. */
  readonly words: Readonly<Record<string, string>>;
  readonly lua: string;
}

export type Argument = string | number;
export type KeysOf<Called extends Script> = Readonly<Record<Called['keys'][number], string>>;
export type ArgumentsOf<Called extends Script> = Readonly<Record<Called['arguments'][number], Argument>>;
export type WordOf<Called extends Script> = Called['words'][keyof Called['words']];
