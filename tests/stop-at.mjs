/**
 * Loaded before a process of a deployment, it stops that process (as SIGSTOP does) at one point of a purchase of somebody whose
 * name begins with `victim`. It looks at what goes over the process's sockets, so the program itself knows nothing of it.
 *
 * TEST_STOP_AT: the point. TEST_STOP_SCRIPTS: the sha1 of Redis scripts by name, as JSON.
 */
import { Socket } from 'node:net';

const point = process.env.TEST_STOP_AT;
const scripts = JSON.parse(process.env.TEST_STOP_SCRIPTS ?? '{}');
const VICTIM = 'victim';
/** Time for what was written to arrive and be done. */
const DONE_MS = 200;

/** By socket: what is under way on it. */
const states = new WeakMap();
let hasRead = false;

function stateOf(socket) {
  const state = states.get(socket) ?? { reads: false, settles: false, commits: false, claims: false };
  states.set(socket, state);
  return state;
}

function stopAt(reached) {
  if (point === reached) process.kill(process.pid, 'SIGSTOP');
}

const textOf = (chunk) => (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1'));

function beforeWrite(state, text) {
  // Others ask for claims on that socket, too, and have none of them in hand.
  state.reads = text.includes(scripts.read);
  if (text.includes(scripts.claim) && text.includes(VICTIM)) state.claims = true;
  if (text.includes('begin') && hasRead) stopAt('before BEGIN');
  if (text.includes('begin')) state.settles = false;
  if (hasRead && text.includes(VICTIM)) state.settles = true;
  if (text.includes('commit') && state.settles) {
    stopAt('before COMMIT');
    state.commits = true;
  }
  if (!(text.includes(scripts.remove) && text.includes(VICTIM))) return;
  stopAt('before ACK');
  if (point === 'after ACK') setTimeout(() => stopAt('after ACK'), DONE_MS);
}

function beforeData(state, text) {
  if (state.claims) stopAt('after the claim');
  if (state.reads && text.includes(VICTIM)) {
    stopAt('after the read');
    hasRead = true;
  }
  if (state.commits) stopAt('after COMMIT');
}

const { write, emit } = Socket.prototype;
Socket.prototype.write = function (chunk, ...rest) {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) beforeWrite(stateOf(this), textOf(chunk));
  return write.call(this, chunk, ...rest);
};
Socket.prototype.emit = function (event, ...args) {
  if (event === 'data') beforeData(stateOf(this), textOf(args[0]));
  return emit.call(this, event, ...args);
};
