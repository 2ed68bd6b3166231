/**
 * Why an answer is not the one that was asked for: the closed table of reasons, on the wire as `reason` of an RFC 9457
 * problem. This is its only home; routes, documents, pages and tests read it. A reason is never used again for something
 * else.
 */

/** Whether the same request can succeed later: `never`, `perhaps`, `then` (at Retry-After), `renewed` (new credentials). */
export type Retry = 'never' | 'perhaps' | 'then' | 'renewed';

export interface ReasonEntry {
  /** HTTP status. */
  readonly status: number;
  readonly retry: Retry;
  readonly en: string;
  readonly zh: string;
}

export const REASONS = {
  bad_request: { status: 400, retry: 'never', en: 'The request is malformed.', zh: '请求格式不正确。' },
  unauthenticated: {
    status: 401,
    retry: 'renewed',
    en: 'The caller is not known; sign in again.',
    zh: '身份未验证，请重新登录。',
  },
  token_invalid: {
    status: 401,
    retry: 'renewed',
    en: 'The purchase token is not valid; fetch a new one.',
    zh: '购买令牌无效，请重新领取。',
  },
  token_expired: {
    status: 401,
    retry: 'renewed',
    en: 'The purchase token has expired; fetch a new one.',
    zh: '购买令牌已过期，请重新领取。',
  },
  token_foreign: {
    status: 403,
    retry: 'never',
    en: 'The purchase token belongs to another buyer or sale.',
    zh: '购买令牌不属于该用户或该活动。',
  },
  not_found: { status: 404, retry: 'never', en: 'There is no such thing.', zh: '未找到。' },
  method_not_allowed: { status: 405, retry: 'never', en: 'This cannot be done with this.', zh: '不支持该请求方法。' },
  request_timeout: {
    status: 408,
    retry: 'perhaps',
    en: 'The request did not arrive in time.',
    zh: '请求未能按时送达。',
  },
  not_started: { status: 409, retry: 'then', en: 'The sale has not started.', zh: '活动尚未开始。' },
  too_early: { status: 409, retry: 'then', en: 'It is not your turn yet.', zh: '尚未到您的时间。' },
  over: { status: 409, retry: 'never', en: 'The sale is over.', zh: '活动已结束。' },
  paused: { status: 409, retry: 'perhaps', en: 'The sale is paused.', zh: '活动已暂停。' },
  closed: { status: 409, retry: 'never', en: 'The sale is closed.', zh: '活动已关闭。' },
  sold_out: { status: 409, retry: 'never', en: 'Sold out.', zh: '已售罄。' },
  none_left_now: {
    status: 409,
    retry: 'perhaps',
    en: 'None left at the moment; unpaid units may come back.',
    zh: '暂无库存，未支付的库存可能会释放。',
  },
  not_enough_left: {
    status: 409,
    retry: 'perhaps',
    en: 'Fewer units are left than were asked for.',
    zh: '剩余数量不足。',
  },
  over_limit: {
    status: 409,
    retry: 'never',
    en: 'This would pass the limit for one buyer.',
    zh: '超出每人限购数量。',
  },
  in_progress: {
    status: 409,
    retry: 'then',
    en: 'An earlier request with this key is still in hand; come again.',
    zh: '相同幂等键的请求仍在处理中，请稍后再试。',
  },
  exists: { status: 409, retry: 'never', en: 'This id is taken.', zh: '该编号已存在。' },
  group_differs: {
    status: 409,
    retry: 'never',
    en: 'This does not go with the other sales of its limit group.',
    zh: '与同一限购组的其他活动不一致。',
  },
  wrong_state: {
    status: 409,
    retry: 'never',
    en: 'The state of this does not allow it.',
    zh: '当前状态不允许此操作。',
  },
  still_open: {
    status: 409,
    retry: 'perhaps',
    en: 'Something in this has not ended yet.',
    zh: '仍有未完结的事项。',
  },
  stale_version: {
    status: 409,
    retry: 'never',
    en: 'It has changed since you read it.',
    zh: '数据已被修改，请重新读取。',
  },
  payload_too_large: { status: 413, retry: 'never', en: 'The body is too large.', zh: '请求体过大。' },
  unsupported_media_type: {
    status: 415,
    retry: 'never',
    en: 'The body must be application/json in UTF-8, and not be packed.',
    zh: '请求体必须为未压缩的 UTF-8 application/json。',
  },
  expectation_failed: {
    status: 417,
    retry: 'never',
    en: 'Nothing can be expected but 100-continue.',
    zh: '仅支持 Expect: 100-continue。',
  },
  content_differs: {
    status: 422,
    retry: 'never',
    en: 'This token or key was used before with other content.',
    zh: '同一令牌或幂等键曾以不同内容使用过。',
  },
  amount_differs: {
    status: 422,
    retry: 'never',
    en: 'The amount is not what the order costs.',
    zh: '金额与订单应付金额不符。',
  },
  rate_limited: {
    status: 429,
    retry: 'then',
    en: 'Too many requests; come again a little later.',
    zh: '请求过于频繁，请稍后再试。',
  },
  headers_too_large: { status: 431, retry: 'never', en: 'The headers are too large.', zh: '请求头过大。' },
  internal: { status: 500, retry: 'perhaps', en: 'Something broke here.', zh: '服务器内部错误。' },
  busy: { status: 503, retry: 'then', en: 'Too busy; come again.', zh: '系统繁忙，请稍后再试。' },
  not_ready: { status: 503, retry: 'then', en: 'Not ready yet; come again.', zh: '系统准备中，请稍后再试。' },
  late: {
    status: 503,
    retry: 'then',
    en: 'The attempt came too late to be judged; try again.',
    zh: '请求超时未处理，请重试。',
  },
} as const satisfies Record<string, ReasonEntry>;

export type Reason = keyof typeof REASONS;
