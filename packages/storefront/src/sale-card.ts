/** One sale on the page: its countdown, its button, and what came of pressing it. */
import type { Api, ListedSale, Order } from './api.ts';
import { type ButtonWord, buttonView } from './buy-button.ts';
import type { KeptTokens } from './kept-token.ts';
import { offerText, windowText } from './offer-text.ts';
import { buy, follow, type PurchaseOutcome } from './purchase-flow.ts';
import type { ServerClock } from './server-clock.ts';
import { durationText, type Language, refusalText, wordsIn } from './words.ts';

export interface Session {
  readonly jwt: string;
  readonly tokens: KeptTokens;
}

export interface CardDeps {
  readonly api: Api;
  readonly clock: ServerClock;
  readonly language: Language;
  readonly session: () => Session | null;
  /** The server no longer knows the buyer. */
  readonly onSignedOut: () => void;
}

export interface SaleCard {
  readonly element: HTMLElement;
  update(sale: ListedSale): void;
  /** Time has passed. */
  tick(): void;
}

/** A second click of the same hand is not a second purchase, however quick the answer was. */
const AFTER_PURCHASE_MS = 1_500;

const ORDER_POLL_MS = 1_000;

export function createSaleCard(deps: CardDeps, template: HTMLTemplateElement, first: ListedSale): SaleCard {
  const words = wordsIn(deps.language);
  const element = (template.content.cloneNode(true) as DocumentFragment).firstElementChild as HTMLElement;
  const part = (name: string) => element.querySelector(`[data-part="${name}"]`) as HTMLElement;
  const [button, units] = [part('button') as HTMLButtonElement, part('units') as HTMLInputElement];
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  let sale = first;
  let isInFlight = false;
  let isSoldOut = false;
  let notBeforeMs = 0;

  function tick(): void {
    const nowMs = deps.clock.nowMs();
    const isSignedIn = deps.session() !== null;
    const view = buttonView({ sale, nowMs, isSignedIn, isInFlight, isSoldOut, notBeforeMs });
    button.disabled = !view.isEnabled;
    setText(button, words[view.word satisfies ButtonWord]);
    setText(part('countdown'), countdownText(nowMs));
  }

  function countdownText(nowMs: number): string {
    if (nowMs < sale.startsAtMs) return words.starts(durationText(sale.startsAtMs - nowMs));
    return nowMs < sale.endsAtMs ? words.ends(durationText(sale.endsAtMs - nowMs)) : words.over;
  }

  async function press(): Promise<void> {
    const session = deps.session();
    if (isInFlight || !session || !units.reportValidity()) return;
    isInFlight = true;
    tick();
    const outcome = await buy({ ...deps, ...session, nowMs: deps.clock.nowMs() }, sale.id, units.valueAsNumber);
    isInFlight = false;
    tell(outcome);
    tick();
    if (outcome.kind !== 'bought' || !isOnItsWay(outcome.order)) return;
    const { api } = deps;
    const became = await follow({ api, jwt: session.jwt, pause: untilNextLook, isOnItsWay }, outcome.order);
    if (became) tellOrder(became);
  }

  function tell(outcome: PurchaseOutcome): void {
    switch (outcome.kind) {
      case 'bought':
        notBeforeMs = deps.clock.nowMs() + AFTER_PURCHASE_MS;
        tellOrder(outcome.order);
        break;
      case 'unclear':
        answer('quiet', words.unclear);
        break;
      case 'refused':
        isSoldOut ||= outcome.reason === 'sold_out';
        notBeforeMs = deps.clock.nowMs() + outcome.retryAfterMs;
        if (outcome.reason === 'unauthenticated') deps.onSignedOut();
        answer('bad', refusalText(outcome.reason, deps.language));
    }
  }

  function tellOrder({ orderId, units: bought, status }: Order): void {
    const isNothing = status === 'lost' || status === 'refused';
    answer(isNothing ? 'bad' : 'good', words.bought(orderId, bought, words.states[status]));
  }

  function answer(kind: 'good' | 'bad' | 'quiet', text: string): void {
    part('answer').dataset.kind = kind;
    setText(part('answer'), text);
  }

  /** To the ledger, or to the wallet: it becomes something else by itself. */
  function isOnItsWay({ status }: Order): boolean {
    return status === 'queued' || (status === 'pending' && sale.kind === 'exchange');
  }

  button.addEventListener('click', (event) => {
    // The second click of a double click.
    if (event.detail <= 1) void press();
  });

  return {
    element,
    tick,
    update(listed) {
      sale = listed;
      setText(part('title'), sale.title);
      setText(part('offer'), offerText(sale, deps.language, words));
      setText(part('window'), windowText(sale, deps.language, ownZone));
      setText(part('limit'), words.limit(sale.limitUnits, sale.limitGroup));
      setText(part('units-label'), words.units);
      units.max = String(sale.limitUnits);
      tick();
    },
  };
}

const untilNextLook = () => new Promise((resolve) => setTimeout(resolve, ORDER_POLL_MS));

/** Only when it changed: a screen reader tells every change. */
function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
