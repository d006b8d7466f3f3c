import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { buildASTSchema, parse } from 'graphql';

// `node examples/habit-cli/codegen.ts [--check]`: types for every graphql(`…`) of this example, from
// schema.graphql into gql. It is what `graphql-codegen` does with this configuration; that command
// brings four times the packages.

const here = import.meta.dirname;
const schemaFile = path.join(here, '../../schema.graphql');
const documentsFile = path.join(here, 'documents.ts');

const schema = parse(readFileSync(schemaFile, 'utf8'));
const documents = [...readFileSync(documentsFile, 'utf8').matchAll(/\bgraphql\(`([^`]*)`\)/g)].map(
  ([, rawSDL = '']) => ({ location: documentsFile, rawSDL, document: parse(rawSDL) }),
);

const files = await preset.buildGeneratesSection({
  baseOutputDir: 'gql/',
  schema,
  schemaAst: buildASTSchema(schema),
  documents,
  plugins: [],
  pluginMap: {},
  config: {
    strictScalars: true, // a scalar that is not named below is an error, and never `any`
    scalars: { DateTime: 'string', Date: 'string', TimeZone: 'string' },
    useTypeImports: true,
    importExtension: '.ts',
  },
  presetConfig: { fragmentMasking: false },
});

const isCheck = process.argv.includes('--check');
for (const file of files) {
  const target = path.join(here, file.filename);
  const text = await codegen(file);
  if (!isCheck) {
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  } else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    console.error(
      `${path.relative('.', target)} is out of step: run \`npm run examples\` and commit the result.`,
    );
    process.exitCode = 1;
  }
}
