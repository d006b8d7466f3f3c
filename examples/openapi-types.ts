import { readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';

// `node examples/openapi-types.ts [--check]`: clients/api.d.ts from openapi.json, as `npx openapi-typescript` does
// without any option, but without examples. It prints by means of the compiler's interface of TypeScript 6, which
// TypeScript 7 has not: so it gets the copy of the former that is in @ts-morph/common.

const oldCompiler = new URL('old-compiler.ts', import.meta.url).href;
registerHooks({
  resolve: (name, context, next) =>
    name === 'typescript' ? { url: oldCompiler, shortCircuit: true } : next(name, context),
});
const { default: typesOf, astToString, COMMENT_HEADER } = await import('openapi-typescript');

const target = path.join(import.meta.dirname, 'clients/api.d.ts');
const isExample = (key: string) => key === 'example' || key === 'examples';
const document = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../openapi.json'), 'utf8'),
  (key, value) => (isExample(key) ? undefined : value),
);
const text = COMMENT_HEADER + astToString(await typesOf(document));

if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error(
    `${path.relative('.', target)} is out of step: run \`npm run generate\` and commit the result.`,
  );
  process.exitCode = 1;
}
