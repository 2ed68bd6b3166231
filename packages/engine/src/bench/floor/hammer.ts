/**
 * Sends prebuilt requests as fast as they are answered, one at a time on each of some sockets. It knows no more of HTTP than
 * where an answer ends, so that it costs less than the server that it measures. A closed loop: for capacity, not for waits.
 */
import { connect, type Socket } from 'node:net';

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** Answers in the order of `requests`. */
export async function hammer(
  url: string,
  requests: readonly Buffer[],
  connections: number,
): Promise<{ readonly answers: readonly HttpAnswer[]; readonly durationMs: number }> {
  const { port, hostname } = new URL(url);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(Number(port), hostname)));
  const answers: HttpAnswer[] = [];
  const line = requests.entries();
  const startedMs = performance.now();
  await Promise.all(sockets.map((socket) => serve(socket, line, (index, answer) => (answers[index] = answer))));
  const durationMs = performance.now() - startedMs;
  for (const socket of sockets) socket.destroy();
  return { answers, durationMs };
}

function open(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, noDelay: true }, () => resolve(socket));
    socket.setEncoding('latin1');
    socket.once('error', reject);
  });
}

function serve(
  socket: Socket,
  line: Iterator<readonly [index: number, request: Buffer]>,
  note: (index: number, answer: HttpAnswer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard = '';
    let current = -1;
    const next = () => {
      const step = line.next();
      if (step.done) return resolve();
      current = step.value[0];
      socket.write(step.value[1]);
    };
    socket.on('data', (chunk: string) => {
      heard += chunk;
      const answer = answerIn(heard);
      if (!answer) return;
      heard = '';
      note(current, answer);
      next();
    });
    socket.once('close', () => reject(new Error('the server closed a connection')));
    socket.once('error', reject);
    next();
  });
}

/** Null: it is not all there yet. */
function answerIn(text: string): HttpAnswer | null {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  if (length === undefined) throw new Error(`an answer without Content-Length: ${text.slice(0, end)}`);
  const body = text.slice(end + 4);
  return body.length < Number(length) ? null : { status: Number(text.slice(9, 12)), text: body };
}

export function requestOf(path: string, credential: string, body: unknown): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  return Buffer.from(
    [
      ...[`POST ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${credential}`],
      ...(body === undefined ? [] : ['Content-Type: application/json']),
      ...[`Content-Length: ${text.length}`, '', text],
    ].join('\r\n'),
  );
}
