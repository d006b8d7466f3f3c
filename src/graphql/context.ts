/** What a resolver knows of its request. */
export interface Context {
  /** Null without a valid token. */
  userId: string | null;
  /** Where the request comes from. */
  address: string;
  /** Negotiated over HTTP: `application/json` rather than `application/graphql-response+json`. */
  wantsPlainJson: boolean;
}

/** Who shares connections to the database among his requests: the user, or whoever is at an address. */
export const askerOf = ({ userId, address }: Context) => userId ?? address;

/** The same behind `@Authorized()`. */
export interface UserContext extends Context {
  userId: string;
}
