// Operations on calendars that others read: they are loaded with what asks them. A test holds them against the schema.

import { mutation, ONE } from '../sync/mutation.js';

export const CALENDARS = 'query Calendars { me { id calendars { id name tag section lastReadAt } } }';

export const CREATE_CALENDAR = mutation('createCalendarFeed', { input: 'CreateCalendarFeedInput!' }, 'url');

export const DELETE_CALENDAR = mutation('deleteCalendarFeed', ONE, 'deletedId');
