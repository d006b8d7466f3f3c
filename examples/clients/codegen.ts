// At the top of your project, for `npx graphql-codegen`.
export default {
  schema: 'https://habits.example.com/graphql',
  documents: ['src/**/*.ts'],
  generates: {
    './src/gql/': {
      preset: 'client' as const,
      presetConfig: { fragmentMasking: false },
      config: {
        strictScalars: true, // a scalar that is not named below is an error, and never `any`
        scalars: {
          DateTime: 'string',
          Date: 'string',
          TimeOfDay: 'string',
          TimeZone: 'string',
          ID: 'string',
        },
        useTypeImports: true,
        importExtension: '.ts' as const,
      },
    },
  },
};
