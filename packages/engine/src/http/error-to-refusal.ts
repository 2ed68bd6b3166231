/**
 * What was thrown becomes a refusal like every other: nothing of its message leaves the house, save what the caller got
 * wrong in their own request.
 */
import type { FastifyError } from 'fastify';
import { Fault } from '../domain/fault.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';

export interface ThrownRefusal {
  readonly refusal: Refusal;
  readonly detail?: string;
}

/** All that is wrong, up to this much: the body is bounded, the answer should not be larger. */
const MAX_MESSAGES = 10;
const MAX_NAME_LENGTH = 64;

export function errorToRefusal(error: unknown): ThrownRefusal {
  if (error instanceof Fault && error.retryable) return { refusal: refuse('busy') };
  if (isFrameworkError(error)) return frameworkErrorToRefusal(error);
  return { refusal: refuse('internal') };
}

function frameworkErrorToRefusal(error: FastifyError): ThrownRefusal {
  // An id that cannot exist is an id that does not exist.
  if (error.validationContext === 'params' || error.code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return { refusal: refuse('not_found') };
  }
  if (error.validation)
    return { refusal: refuse('bad_request'), detail: messagesOf(error.validation, error.validationContext) };
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { refusal: refuse('payload_too_large') };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { refusal: refuse('unsupported_media_type') };
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return { refusal: refuse('bad_request'), detail: 'The body is empty.' };
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return { refusal: refuse('bad_request'), detail: 'The body is not JSON that we take.' };
    default:
      return { refusal: refuse('bad_request') };
  }
}

function isFrameworkError(error: unknown): error is FastifyError {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
}

function messagesOf(validation: NonNullable<FastifyError['validation']>, context = 'body'): string {
  const messages = validation.slice(0, MAX_MESSAGES).map(({ instancePath, message, params }) => {
    const subject =
      instancePath === ''
        ? `The ${context === 'querystring' ? 'query' : 'body'}`
        : instancePath.slice(1).replaceAll('/', '.');
    const unknownName = params.additionalProperty;
    if (typeof unknownName === 'string')
      return `There is no field ${JSON.stringify(unknownName.slice(0, MAX_NAME_LENGTH))}.`;
    return `${subject} ${message ?? 'is wrong'}.`;
  });
  return messages.join(' ');
}
