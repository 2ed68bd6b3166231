/** `POST /dev/identity`: a JWT for any name. Only there when whoever starts the server gives it the means. */
import { DEV_IDENTITY, DEV_IDENTITY_REQUEST } from '@sluice/contract';
import { type BuyerId, isBuyerId } from '../../domain/ids.ts';
import { refuse } from '../../domain/refusal.ts';
import { documented } from '../documented.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const schema = {
  ...documented({
    operationId: 'makeTestBuyer',
    summary: "A JWT for any name, on a machine of one's own.",
    caller: 'anyone',
    reasons: ['not_found'],
  }),
  body: DEV_IDENTITY_REQUEST,
  response: { 200: DEV_IDENTITY, ...PROBLEMS },
};

/** A page elsewhere can make a name of its own lead here, and would be answered: only names of this machine are taken. */
const THIS_MACHINE = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;

type DevIdentityDeps = RouteDeps & { readonly devIdentity: (buyerId: BuyerId) => string };

export function addDevIdentity(app: HttpServer, { devIdentity, refuser, limitAddress }: DevIdentityDeps): void {
  app.post('/dev/identity', { schema, onRequest: limitAddress }, async (request, reply) => {
    // The host as it was sent, whatever a proxy says of it; and nobody elsewhere, for whom a proxy here asks.
    const isHere = THIS_MACHINE.test(request.headers.host ?? '') && LOOPBACK.test(request.ip);
    if (!isHere) return refuser.refuse(request, reply, refuse('not_found'));
    const { buyer } = request.body;
    if (!isBuyerId(buyer)) {
      return refuser.refuse(request, reply, refuse('bad_request'), { detail: 'buyer cannot be an id.' });
    }
    return { jwt: devIdentity(buyer) };
  });
}
