/** The same text, but for the case of one letter. */
export const inOtherCase = (text: string) =>
  text.replace(/[a-z]/i, (letter) => (/[a-z]/.test(letter) ? letter.toUpperCase() : letter.toLowerCase()));
