import { REASONS } from '@sluice/contract/codes';
import { code, page, table } from './markdown.mjs';

const INTRO = `Why an answer is not the one that was asked for. Refusals are RFC 9457 problems (\`application/problem+json\`) whose \`reason\` is one
of these and nothing else; a reason is never used again for something else.`;

const AGAIN = new Map([
  ['never', 'no'],
  ['perhaps', 'perhaps'],
  ['then', 'yes, after Retry-After'],
  ['renewed', 'with new credentials'],
]);

export function reasonsPage() {
  const rows = Object.entries(REASONS).map(([reason, { status, retry, en, zh }]) => [
    ...[code(reason), status, AGAIN.get(retry) ?? retry, en, zh],
  ]);
  return page('Reasons', INTRO, table(['reason', 'status', 'try again?', 'English', '中文'], rows));
}
