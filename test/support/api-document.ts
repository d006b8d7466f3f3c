import type { Result } from './live.js';

/** An operation of the API document, with the address at which it is served. */
export interface DocumentedOperation extends Record<string, Result> {
  /** `PUT /tasks/{taskId}`, and `GET /account/export` of what is not below `/api`. */
  endpoint: string;
  method: string;
  address: string;
  isOfFile: boolean;
}

export const operationsIn = (document: Result): DocumentedOperation[] =>
  Object.entries<Result>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Result>(methods).map(([method, operation]) => {
      const isOfFile = operation.servers !== undefined;
      const address = `${(operation.servers ?? document.servers)[0].url}${path}`;
      const endpoint = `${method.toUpperCase()} ${isOfFile ? address : path}`;
      return { ...operation, endpoint, method: method.toUpperCase(), address, isOfFile };
    }),
  );
