/** Webhook endpoints in the words of the wire. Of their secrets there are none. */
import { EVENT_TYPES } from '@sluice/contract/codes';
import type { DeadLetter } from '../domain/outbox/delivery.ts';
import { messageOf, subjectOf } from '../domain/outbox/outbox-event.ts';
import type { WebhookEndpoint } from '../domain/outbox/webhook-endpoint.ts';
import type { WebhookAnswer } from '../ports/webhook-sender.ts';
import type { EndpointReading } from '../ports/webhooks.ts';

export function endpointAnswer({ id, url, eventTypes, createdAtMs }: WebhookEndpoint) {
  return { id, url, events: [...(eventTypes ?? EVENT_TYPES)], createdAtMs };
}

export function webhookAnswer({ endpoint, deliveries, deadLetters }: EndpointReading) {
  const oldSecretUntilMs = endpoint.oldSecret?.untilMs ?? null;
  return { ...endpointAnswer(endpoint), oldSecretUntilMs, waiting: deliveries, dead: deadLetters };
}

export function testAnswer(answer: WebhookAnswer) {
  return {
    delivered: answer.kind === 'delivered',
    status: 'status' in answer ? answer.status : null,
    error: 'error' in answer ? answer.error : null,
  };
}

export function deadLetterAnswer({ id, event, failures, error, diedAtMs }: DeadLetter) {
  const { id: eventId } = messageOf(event);
  return { id, eventId, type: event.event.type, subject: subjectOf(event), failures, error, diedAtMs };
}
