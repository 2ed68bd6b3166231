/** `POST /v1/admin/quarantine/replay` and `/drop`: what a person decides of what was set aside. */
import { TAKE_OUT, TAKEN_OUT } from '@sluice/contract';
import { refuse } from '../../domain/refusal.ts';
import { documented } from '../documented.ts';
import { KEYED_HEADERS } from '../keyed-calls.ts';
import { type HttpServer, PROBLEMS, type RouteDeps } from '../route.ts';

const CALLS = {
  replay: {
    operationId: 'replaySetAside',
    summary: 'Has a claim that was set aside settled after all, once; or an entry, when it can be read now.',
  },
  drop: {
    operationId: 'dropSetAside',
    summary: 'Ends what was set aside: the order of a claim is refused, and its units go back.',
  },
} as const;

export function addTakeOut(app: HttpServer, { engine, refuser, keyed }: RouteDeps): void {
  for (const call of ['replay', 'drop'] as const) {
    const schema = {
      ...documented({ ...CALLS[call], caller: 'operator', isKeyed: true, reasons: ['not_found', 'wrong_state'] }),
      ...{ headers: KEYED_HEADERS, body: TAKE_OUT, response: { 200: TAKEN_OUT, ...PROBLEMS } },
    };
    app.post(`/quarantine/${call}`, { schema, preHandler: keyed.ofOperator }, async (request, reply) => {
      const { id } = request.body;
      const result = await engine.quarantine[call](id);
      if (result.kind === 'absent') return refuser.refuse(request, reply, refuse('not_found'));
      if (result.kind === 'stays') {
        return refuser.refuse(request, reply, refuse('wrong_state'), { detail: result.why });
      }
      const { order, isRepeated } = result;
      request.log.info({ setAside: id, call, status: order?.state }, 'taken out of quarantine');
      return { id, orderId: order?.orderId ?? null, status: order?.state ?? null, repeated: isRepeated };
    });
  }
}
