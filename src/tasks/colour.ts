import { enumOf } from '../enums.js';

export const Colour = enumOf('Colour', 'The colour of a task, by its name.', {
  RED: 'Red.',
  ORANGE: 'Orange.',
  AMBER: 'Amber.',
  LIME: 'Lime.',
  GREEN: 'Green.',
  TEAL: 'Teal.',
  CYAN: 'Cyan.',
  BLUE: 'Blue.',
  INDIGO: 'Indigo.',
  VIOLET: 'Violet.',
  PINK: 'Pink.',
  GREY: 'Grey.',
});
export type Colour = keyof typeof Colour;
