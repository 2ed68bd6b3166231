/** The sample page: signs a buyer in, lists the sales, and keeps both up to date. */
import { createApi, type ListedSale } from './api.ts';
import { createKeptTokens } from './kept-token.ts';
import { createSaleCard, type SaleCard, type Session } from './sale-card.ts';
import { createServerClock } from './server-clock.ts';
import { languageOf, wordsIn } from './words.ts';

const TICK_MS = 250;
const LIST_MS = 5_000;
const IDENTITY_KEY = 'sluice:identity';

const language = languageOf(navigator.language);
const words = wordsIn(language);
const clock = createServerClock(
  () => performance.now(),
  () => Date.now(),
);
const api = createApi(clock);
const cards = new Map<string, SaleCard>();
let session: Session | null = null;
/** By default there are test buyers; where there are none, a buyer brings a JWT. */
let takesName = true;

const byId = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
const credential = byId<HTMLInputElement>('credential');

function showIdentity(who: string): void {
  byId('credential-label').textContent = takesName ? words.name : words.jwt;
  byId('sign-in').textContent = words.signIn;
  byId('who').textContent = who;
}

function signIn(jwt: string, name: string): void {
  sessionStorage.setItem(IDENTITY_KEY, JSON.stringify({ jwt, name }));
  credential.value = '';
  session = { jwt, tokens: createKeptTokens(sessionStorage, name || jwt) };
  showIdentity(name ? words.signedIn(name) : words.signedInByJwt);
  for (const card of cards.values()) card.tick();
}

function signOut(): void {
  sessionStorage.removeItem(IDENTITY_KEY);
  session = null;
  showIdentity('');
}

async function submitIdentity(): Promise<void> {
  const given = credential.value.trim();
  if (!takesName) {
    signIn(given, '');
    return;
  }
  const reply = await api.devIdentity(given);
  if (reply.kind === 'answer') {
    signIn(reply.value.jwt, given);
    return;
  }
  if (reply.kind === 'refused' && reply.reason === 'not_found') {
    takesName = false;
    credential.value = '';
  }
  showIdentity(reply.kind === 'unclear' ? words.unreachable : '');
}

function showSales(sales: readonly ListedSale[]): void {
  byId('notice').textContent = sales.length === 0 ? words.noSales : '';
  for (const sale of sales) cardOf(sale).update(sale);
  const listed = new Set(sales.map((sale) => sale.id));
  for (const [id, card] of cards) {
    if (listed.has(id)) continue;
    card.element.remove();
    cards.delete(id);
  }
}

function cardOf(sale: ListedSale): SaleCard {
  const known = cards.get(sale.id);
  if (known) return known;
  const deps = { api, clock, language, session: () => session, onSignedOut: signOut };
  const card = createSaleCard(deps, byId<HTMLTemplateElement>('sale'), sale);
  cards.set(sale.id, card);
  byId('sales').append(card.element);
  return card;
}

async function refresh(): Promise<void> {
  const reply = await api.listSales();
  if (reply.kind === 'answer') showSales(reply.value.sales);
  else byId('notice').textContent = words.unreachable;
  // Spread, so that pages opened together do not ask together for ever.
  setTimeout(() => void refresh(), LIST_MS * (0.8 + 0.4 * Math.random()));
}

document.documentElement.lang = language;
byId<HTMLFormElement>('identity').addEventListener('submit', (event) => {
  event.preventDefault();
  void submitIdentity();
});
const kept = JSON.parse(sessionStorage.getItem(IDENTITY_KEY) ?? 'null') as { jwt: string; name: string } | null;
if (kept) signIn(kept.jwt, kept.name);
else showIdentity('');
setInterval(() => {
  for (const card of cards.values()) card.tick();
}, TICK_MS);
void refresh();
