/** A tab that a newcomer sees. A test checks every one against `schema.graphql`. */
export interface Example {
  query: string;
  variables?: Record<string, unknown>;
}
