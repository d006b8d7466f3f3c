import { getMetadataStorage } from 'type-graphql';

export type Class = abstract new (...parameters: never[]) => object;

const storage = getMetadataStorage();

/** What GraphQL says about a class of objects or inputs. Both faces say the same. */
export const descriptionOf = (type: Class): string | undefined =>
  [...storage.objectTypes, ...storage.inputTypes].find(({ target }) => target === type)?.description;

/** What GraphQL says about a property of such a class; undefined where GraphQL does not show it. */
export const propertyDescriptionOf = (type: Class, property: string): string | undefined =>
  storage.fields.find(({ target, name }) => target === type && name === property)?.description;
