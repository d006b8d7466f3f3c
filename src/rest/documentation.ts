import { Router } from 'express';
import type { Route } from './route.js';

/** `/api/openapi.json` and its page `/api/docs`. */
export function apiDocument(_routes: Route[]): Router {
  return Router();
}
