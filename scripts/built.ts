/** A built module of the service, with the types of its source: Node does not run decorators. */
export const built = <Module>(file: string): Promise<Module> =>
  import(/* @vite-ignore */ `../dist/modules/src/${file}`);
