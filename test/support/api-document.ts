import type { Result } from './live.js';

/** An operation of the API document, with the address at which it is served. */
export interface DocumentedOperation extends Record<string, Result> {
  /** `PUT /tasks/{taskId}` */
  endpoint: string;
  method: string;
  address: string;
  isOfFile: boolean;
}

export const operationsIn = (document: Result): DocumentedOperation[] =>
  Object.entries<Result>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Result>(methods).map(([method, operation]) => {
      const isOfFile = path.startsWith('/account/');
      const address = `${document.servers[0].url}${path}`;
      return {
        ...operation,
        endpoint: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        address,
        isOfFile,
      };
    }),
  );
