import type { ServerResponse } from 'node:http';

const listeners = new WeakMap<ServerResponse, (() => void)[]>();

/**
 * Calls `listen` when the answer begins, just before its head is written; or when it ends without one because the
 * client has gone. Node has no event for that. Express changes the prototype of a response, so the methods have to be
 * replaced on the response itself; this is done once, however many listeners there are.
 */
export function whenAnswerBegins(response: ServerResponse, listen: () => void): void {
  const known = listeners.get(response);
  if (known) return void known.push(listen);
  const due = [listen];
  listeners.set(response, due);
  const begin = () => {
    for (const each of due.splice(0)) each();
  };
  const { writeHead, end } = response;
  response.writeHead = (...head: unknown[]) => {
    begin();
    return Reflect.apply(writeHead, response, head);
  };
  response.end = (...rest: unknown[]) => {
    begin();
    return Reflect.apply(end, response, rest);
  };
}
