import type { Result } from './live.js';

/** The operations of the API document, each with the address at which it is served; `endpoint` is `PUT /tasks/{taskId}`. */
export const operationsIn = (document: Result) =>
  Object.entries<Result>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Result>(methods).map(([name, operation]) => {
      const method = name.toUpperCase();
      const address = `${document.servers[0].url}${path}`;
      const isOfFile = path.startsWith('/account/');
      return { ...operation, endpoint: `${method} ${path}`, method, address, isOfFile } as Operation;
    }),
  );

interface Operation extends Record<string, Result> {
  endpoint: string;
  method: string;
  address: string;
  isOfFile: boolean;
}
