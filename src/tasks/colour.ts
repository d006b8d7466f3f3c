import { registerEnumType } from 'type-graphql';

export const Colour = {
  RED: 'RED',
  ORANGE: 'ORANGE',
  AMBER: 'AMBER',
  LIME: 'LIME',
  GREEN: 'GREEN',
  TEAL: 'TEAL',
  CYAN: 'CYAN',
  BLUE: 'BLUE',
  INDIGO: 'INDIGO',
  VIOLET: 'VIOLET',
  PINK: 'PINK',
  GREY: 'GREY',
} as const;
export type Colour = keyof typeof Colour;

registerEnumType(Colour, { name: 'Colour', description: 'The colour of a task, by its name.' });
