/** What was kept of what was due. Apart from all that dialogs ask, which the year would bring along. */
export const YEAR = 'query Year { me { calendar(last: 365) { date dueCount keptCount } } }';
