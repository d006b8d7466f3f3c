import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { ErrorLink } from '@apollo/client/link/error';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { OperationTypeNode } from 'graphql';
import { createClient } from 'graphql-ws';
import { typePolicies } from '../first-screen/typePolicies.ts';

interface Login {
  token: () => string;
  /** The token is worth nothing any more: forget it, call `clearStore()`, and ask the person to log in. */
  loggedOut: () => void;
}

export function connect(service: string, { token, loggedOut }: Login): ApolloClient {
  const authorization = () => `Bearer ${token()}`;
  const http = ApolloLink.from([
    new ErrorLink(({ error }) => {
      if (CombinedGraphQLErrors.is(error) && error.errors.some(isLoggedOut)) loggedOut();
    }),
    new SetContextLink(({ headers }) => ({ headers: { ...headers, authorization: authorization() } })),
    new HttpLink({ uri: `${service}/graphql` }),
  ]);
  const live = new GraphQLWsLink(
    createClient({
      url: `${service.replace(/^http/, 'ws')}/graphql`,
      connectionParams: () => ({ authorization: authorization() }),
    }),
  );
  const isLive = ({ operationType }: ApolloLink.Operation) =>
    operationType === OperationTypeNode.SUBSCRIPTION;
  return new ApolloClient({
    link: ApolloLink.split(isLive, live, http),
    cache: new InMemoryCache({ typePolicies }),
  });
}

/** A wrong password is `UNAUTHENTICATED` too, but no reason to log out. */
const isLoggedOut = ({ extensions }: { extensions?: { reason?: unknown } }) =>
  extensions?.reason === 'TOKEN_INVALID' || extensions?.reason === 'TOKEN_MISSING';
