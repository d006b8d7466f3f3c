import { ObjectType } from 'type-graphql';

/** Declares what a mutation answers. */
export const Payload = () =>
  ObjectType({
    simpleResolvers: true,
    description: 'What the mutation answers: what it has changed, as it is now.',
  });
