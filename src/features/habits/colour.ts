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

const named = Object.keys(Colour).map((name) => [
  name,
  { description: 'A colour of the palette; each client has its own shade of it.' },
]);

registerEnumType(Colour, {
  name: 'Colour',
  description: 'The colour of a task, by its name.',
  valuesConfig: Object.fromEntries(named),
});
