/** What Node turns away before any route is looked at: answered by hand, as every refusal is, and closed. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Reason } from '@sluice/contract/codes';
import { languageOf } from './language.ts';
import { PREBUILT } from './outcome-to-response.ts';

/** Sockets that bring no request that could be parsed, or not in time. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable && mayAnswer(socket)) socket.write(responseText(reasonOf(error.code)));
  socket.destroy(error);
}

/** A request that expects what no server here does; the client waits with its body until it is answered. */
export function answerExpectation({ headers: asked }: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body } = PREBUILT[languageOf(asked['accept-language'])].expectation_failed;
  const all = [...headers, 'Content-Length', String(body.length), 'Connection', 'close'];
  response.writeHead(status, all).end(body, 'latin1');
}

/** RFC 9112, 3.2: without it nobody knows for whom the request is. Node's own check answers without a body. */
export function lacksHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === '1.1';
}

function reasonOf(code: string | undefined): Reason {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'bad_request';
}

function responseText(reason: Reason): string {
  const { status, headers, body } = PREBUILT.en[reason];
  const pairs = headers.map((part, index) => (index % 2 === 0 ? `${part}: ` : `${part}\r\n`));
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${pairs.join('')}${length}Connection: close\r\n\r\n${body}`;
}

/**
 * Only when our words cannot be taken for the answer to an earlier request of this connection, whose purchase may succeed
 * yet. Node keeps the response that is due next on the socket, and has no public name for it.
 */
function mayAnswer(socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean {
  const due = socket._httpMessage;
  return !due || (!due.headersSent && !due.req.complete);
}
