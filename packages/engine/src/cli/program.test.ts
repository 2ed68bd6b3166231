import { type Command, CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from './program.ts';

/** Quiet, and with actions that do nothing but remember. */
function parse(...args: readonly string[]): { readonly said: string; readonly error: unknown } {
  const program = createProgram('1.2.3');
  let said = '';
  const listen = (text: string) => {
    said += text;
  };
  for (const command of everyCommand(program)) {
    command.configureOutput({ writeOut: listen, writeErr: listen });
    if (command.commands.length === 0) command.action(() => undefined);
  }
  try {
    program.parse(args, { from: 'user' });
    return { said, error: null };
  } catch (error) {
    return { said, error };
  }
}

function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

describe('the command line', () => {
  test('teaches with examples', () => {
    const { said, error } = parse('--help');
    expect(error).toMatchObject({ exitCode: 0 });
    for (const name of ['start', 'sale', 'order', 'dev-token', 'rush', 'simulate']) expect(said).toContain(name);
    expect(said).toContain('$ sluice start');
    const ofSales = ['create', 'publish', 'list', 'show'].map((name) => ['sale', name]);
    const ofOrders = ['show', 'pay', 'cancel'].map((name) => ['order', name]);
    for (const args of [['start'], ...ofSales, ...ofOrders, ['dev-token'], ['rush'], ['simulate']]) {
      expect(parse(...args, '--help').said, args.join(' ')).toMatch(/Examples?:\n {2}\$/);
    }
  });

  test('every command prints JSON when asked to', () => {
    const leaves = everyCommand(createProgram('0')).filter((command) => command.commands.length === 0);
    expect(leaves).toHaveLength(16);
    for (const command of leaves)
      expect(
        command.options.map(({ long }) => long),
        command.name(),
      ).toContain('--json');
  });

  test('tells each default once, as people write it', () => {
    for (const command of everyCommand(createProgram('0'))) {
      const help = command.createHelp();
      for (const option of command.options) {
        const said = help.optionDescription(option);
        expect(said.match(/default:/g)?.length ?? 0, `${command.name()} ${option.flags}`).toBeLessThan(2);
      }
    }
    const { said } = parse('sale', 'create', '--help');
    expect(said).toContain('(default: 1d)');
    expect(said).not.toContain('86400000');
    expect(parse('start', '--help').said).toContain('Secrets are set in the file or the environment');
  });

  test('knows its version', () => {
    expect(parse('--version')).toMatchObject({ said: '1.2.3\n', error: { exitCode: 0 } });
  });

  const mistakes: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [['strat'], /Did you mean start\?/],
    [['start', '--prot', '1'], /Did you mean --port\?/],
    [['start', '--jwt-key', 'x'], /unknown option '--jwt-key'/],
    [['sale', 'create', 'x'], /required option '--units/],
    [['sale', 'create', 'x', '--units', 'many'], /whole number, at least 0/],
    [['sale', 'show'], /missing required argument 'id'/],
    [['sale', 'show', 'x', 'y'], /too many arguments/],
    [['order', 'pay', 'x'], /required option '--reference/],
    [['order', 'pay', 'x', '--reference', 'r', '--outcome', 'perhaps'], /Allowed choices are paid, failed, refunded/],
    [['rush', '--double-clicks', '2'], /a share, from 0 to 1/],
    [['rush', '--sale', 'x', '--stock', '5'], /cannot be used with/],
    [['rush', '--url', 'nonsense'], /an address such as http/],
    [['sale', 'list', '--admin-url', 'localhost:8460'], /an address such as http/],
    [['simulate', '--scenario', 'sunny'], /Allowed choices are swarm/],
    [['dev-token', 'ann', '--lifetime', 'long'], /a duration such as/],
  ];

  test.each(mistakes)('%j is a usage error that helps', (args, said) => {
    const result = parse(...args);
    expect(result.error).toBeInstanceOf(CommanderError);
    expect(result.error).not.toMatchObject({ exitCode: 0 });
    expect(result.said).toMatch(said);
  });
});
