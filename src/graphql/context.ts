/** What a resolver knows of its request. */
export interface Context {
  /** Null without a valid token. */
  userId: string | null;
  /** Where the request comes from. */
  address: string;
  /** Negotiated over HTTP: `application/json` rather than `application/graphql-response+json`. */
  wantsPlainJson: boolean;
}

/** The same behind `@Authorized()`. */
export interface UserContext extends Context {
  userId: string;
}
