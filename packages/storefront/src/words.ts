/** What the page says. The texts of refusals are the contract's. */
import { type OrderState, REASONS } from '@sluice/contract/codes';

export type Language = 'en' | 'zh';

const EN = {
  name: 'Your name, for a test buyer',
  jwt: 'Your sign-in token (JWT)',
  signIn: 'Sign in',
  signedIn: (who: string) => `Signed in as ${who}`,
  signedInByJwt: 'Signed in',
  signInFirst: 'Sign in first',
  noSales: 'No sale is open at the moment.',
  unreachable: 'The server cannot be reached; trying again.',
  starts: (left: string) => `Starts in ${left}`,
  ends: (left: string) => `Ends in ${left}`,
  over: 'Over',
  free: 'Free',
  forMoney: 'For money',
  points: (points: number) => `${points} points`,
  limit: (units: number, group: string | null) =>
    `At most ${units} for each buyer${group === null ? '' : `, over all sales of ${group}`}`,
  units: 'Units',
  buy: 'Buy',
  notYet: 'Not yet',
  buying: 'One moment …',
  soldOut: 'Sold out',
  closed: 'Closed',
  bought: (orderId: string, units: number, status: string) => `Order ${orderId}, units: ${units}. ${status}`,
  unclear: 'No answer. Buy again: it will be the same order.',
  states: {
    queued: 'Taken, on its way.',
    pending: 'Reserved, to be paid.',
    paid: 'Paid.',
    fulfilled: 'Delivered.',
    cancelled: 'Cancelled.',
    expired: 'Expired.',
    refused: 'Refused.',
    lost: 'Lost on its way; buy again.',
    paid_unfulfilled: 'Paid, to be refunded.',
    refunded: 'Refunded.',
  } satisfies Record<OrderState, string>,
};

export type Words = typeof EN;

const ZH: Words = {
  name: '姓名（测试买家）',
  jwt: '登录令牌（JWT）',
  signIn: '登录',
  signedIn: (who) => `已登录：${who}`,
  signedInByJwt: '已登录',
  signInFirst: '请先登录',
  noSales: '暂无进行中的活动。',
  unreachable: '无法连接服务器，正在重试。',
  starts: (left) => `距开始 ${left}`,
  ends: (left) => `距结束 ${left}`,
  over: '已结束',
  free: '免费',
  forMoney: '付费',
  points: (points) => `${points} 积分`,
  limit: (units, group) => `每人限购 ${units} 件${group === null ? '' : `（${group} 各活动合计）`}`,
  units: '数量',
  buy: '立即抢购',
  notYet: '未开始',
  buying: '请稍候…',
  soldOut: '已售罄',
  closed: '已关闭',
  bought: (orderId, units, status) => `订单 ${orderId}：${units} 件，${status}`,
  unclear: '未收到答复。请再次点击购买，仍为同一订单。',
  states: {
    queued: '已抢到，处理中',
    pending: '已预留，待支付',
    paid: '已支付',
    fulfilled: '已发货',
    cancelled: '已取消',
    expired: '已过期',
    refused: '已拒绝',
    lost: '处理中丢失，请重新购买',
    paid_unfulfilled: '已支付，待退款',
    refunded: '已退款',
  },
};

export function languageOf(preferred: string): Language {
  return preferred.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

export function wordsIn(language: Language): Words {
  return language === 'zh' ? ZH : EN;
}

/** A reason this page is too old to know still gets a sentence. */
export function refusalText(reason: string, language: Language): string {
  const entry = Object.entries(REASONS).find(([each]) => each === reason);
  return entry ? entry[1][language] : REASONS.internal[language];
}

/** `01:02:03`, with days before it when there are any. Rounded up: zero is shown when it is over, not before. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const days = Math.floor(seconds / 86_400);
  const parts = [Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60, seconds % 60];
  const time = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return days > 0 ? `${days} d ${time}` : time;
}
