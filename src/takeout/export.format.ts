/** The version of the format. A reader refuses one that it does not know. */
export const FORMAT = { format: 'steady-export', version: 1 } as const;
