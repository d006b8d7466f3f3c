/** What a resolver knows of its request. */
export interface Context {
  /** Null without a valid token. */
  userId: string | null;
}

/** The same behind `@Authorized()`. */
export interface UserContext extends Context {
  userId: string;
}
