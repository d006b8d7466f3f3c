// Operations on API tokens: they are loaded with what asks them. A test holds them against the schema.

import { mutation, ONE } from '../sync/mutation.js';

export const API_TOKENS = 'query ApiTokens { apiTokens { id name scopes ending expiresAt lastUsedAt } }';

export const CREATE_API_TOKEN = mutation('createApiToken', { input: 'CreateApiTokenInput!' }, 'token');

export const DELETE_API_TOKEN = mutation('deleteApiToken', ONE, 'deletedId');
