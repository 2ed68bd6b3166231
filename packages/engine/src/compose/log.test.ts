import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { humanLine } from './log.ts';

test('a line for people has the time, the level, the sentence and what belongs to it', () => {
  const entry = {
    level: 40,
    time: 1_795_984_268_164,
    pid: 1,
    saleId: 'spring',
    count: 2,
    msg: 'something',
    err: { message: 'why' },
  };
  expect(humanLine(entry)).toBe('20:31:08 warn  something saleId=spring count=2 why\n');
});

test('a line for machines is JSON on stderr, without secrets', () => {
  const module = new URL('./log.ts', import.meta.url).href;
  const script = `const { createLog } = await import('${module}');
    createLog('info', false).info({ token: 'hidden', request: { authorization: 'hidden', url: '/' } }, 'here');`;
  const args = ['--conditions=source', '--import', import.meta.resolve('tsx'), '--input-type=module', '-e', script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(JSON.parse(stderr)).toMatchObject({ level: 30, msg: 'here', token: '[Redacted]', request: { url: '/' } });
  expect(stderr).not.toContain('hidden');
});
