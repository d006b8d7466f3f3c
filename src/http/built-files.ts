import { readFile } from 'node:fs/promises';
import express, { type RequestHandler } from 'express';
import { noteRoute } from '../telemetry/trail.js';

/** Serves built files whose names contain a hash of their content. */
export const hashedFiles = (folder: string, policy: string, route: string): RequestHandler =>
  express.static(folder, {
    immutable: true,
    maxAge: '1y',
    index: false,
    redirect: false,
    setHeaders: (response) => {
      noteRoute(response.req, route);
      response.setHeader('Content-Security-Policy', policy);
    },
  });

/** Undefined if it is not built. */
export async function builtText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
