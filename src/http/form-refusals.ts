/** What a request is refused with for its form alone, whatever it asks for. */
export type BareRefusal = readonly [status: number, message: string];

export const formRefusals = {
  unreadable: [400, 'The request could not be read'],
  misdirected: [400, 'The Host header is not valid'],
  ambiguous: [400, 'Authorization and Content-Type may be given only once'],
  notFound: [404, 'Not found'],
  late: [408, 'The request took too long to arrive'],
  bodyTooLarge: [413, 'The body is too large'],
  unexpected: [417, 'The expectation cannot be met'],
  headersTooLarge: [431, 'The headers are too large'],
} satisfies Record<string, BareRefusal>;
