import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { buildASTSchema, parse } from 'graphql';
import settings from './clients/codegen.ts';

// `node examples/codegen.ts [--check]`: types for every graphql(`…`) of the examples, from schema.graphql into
// the folder gql of each. It is what `graphql-codegen` does with the settings in clients/codegen.ts; that command
// brings four times the packages.

const here = import.meta.dirname;
const schema = parse(readFileSync(path.join(here, '../schema.graphql'), 'utf8'));
const isCheck = process.argv.includes('--check');

for (const example of ['clients', 'first-screen']) {
  const { presetConfig, config } = settings.generates['./src/gql/'];
  const files = await preset.buildGeneratesSection({
    baseOutputDir: 'gql/',
    schema,
    schemaAst: buildASTSchema(schema),
    documents: globSync('*.ts', { cwd: path.join(here, example) })
      .sort()
      .flatMap((name) => documentsIn(path.join(here, example, name))),
    plugins: [],
    pluginMap: {},
    config,
    presetConfig,
  });
  for (const file of files) keep(path.join(here, example, file.filename), await codegen(file));
}

function documentsIn(location: string) {
  const texts = readFileSync(location, 'utf8').matchAll(/\bgraphql\(`([^`]*)`\)/g);
  return [...texts].map(([, rawSDL = '']) => ({ location, rawSDL, document: parse(rawSDL) }));
}

function keep(target: string, text: string): void {
  if (!isCheck) {
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  } else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    console.error(
      `${path.relative('.', target)} is out of step: run \`npm run generate\` and commit the result.`,
    );
    process.exitCode = 1;
  }
}
