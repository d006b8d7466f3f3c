import { expect, it } from 'vitest';
import { de } from '../../src/page/texts/de.js';
import { es } from '../../src/page/texts/es.js';
import { fr } from '../../src/page/texts/fr.js';
import { ptBr } from '../../src/page/texts/pt-br.js';
import { worldOf } from '../support/world.js';

const setTo = `mutation ($language: Language) {
  updateProfile(input: { language: $language }) { user { language } }
}`;

it('The language is that of the device until one is chosen, and again when it is cleared', async () => {
  const { ana } = await worldOf('ana');
  const language = async () => (await ana.query('{ me { language } }')).me.language;
  expect(await language()).toBeNull();
  for (const each of ['EN', 'DE', 'ES', 'FR', 'PT_BR']) {
    const { updateProfile } = await ana.query(setTo, { language: each });
    expect(updateProfile.user.language).toBe(each);
  }
  await expect(ana.query(setTo, { language: 'IT' })).rejects.toThrow('BAD_USER_INPUT');
  await ana.query('mutation { updateProfile(input: { name: "Ana" }) { user { id } } }');
  await ana.rest.put('/api/user/profile', { language: 'DE' }); // of which REST knows nothing
  expect(await language()).toBe('PT_BR');
  await ana.query(setTo, { language: null });
  expect(await language()).toBeNull();
});

it('A challenge that is built in has words in each language, and that of an operator stays as it is written', async () => {
  const { ana } = await worldOf('ana');
  const { challengeTemplates } = await ana.query('{ challengeTemplates { id title description } }');
  const built: string[] = challengeTemplates.flatMap(
    ({ id, title, description }: Record<'id' | 'title' | 'description', string>) =>
      Number(id) <= 7 ? [title, description] : [],
  );
  for (const { challenge } of [de, es, fr, ptBr]) {
    expect(new Set([...built.map(challenge.ofTemplate), ...built]).size).toBe(28);
    expect(['Stretch', 'constructor'].map(challenge.ofTemplate)).toEqual(['Stretch', 'constructor']);
  }
});
