import { describe, expect, it } from 'vitest';
import { de } from '../../src/page/texts/de.js';
import { es } from '../../src/page/texts/es.js';
import { fr } from '../../src/page/texts/fr.js';
import { ptBr } from '../../src/page/texts/pt-br.js';
import { ownDatabase } from '../support/database.js';
import { world, worldOf } from '../support/world.js';

const setTo = `mutation ($language: Language) {
  updateProfile(input: { language: $language }) { user { language } }
}`;

describe('User.language', () => {
  it('is that of the device until one is chosen, and again when it is cleared', async () => {
    const { ana } = await worldOf('ana');
    const language = async () => (await ana.query('{ me { language } }')).me.language;
    expect(await language()).toBeNull();
    for (const each of ['EN', 'DE', 'ES', 'FR', 'PT_BR', null]) {
      const { updateProfile } = await ana.query(setTo, { language: each });
      expect([updateProfile.user.language, await language()]).toEqual([each, each]);
    }
    await expect(ana.query(setTo, { language: 'IT' })).rejects.toThrow('BAD_USER_INPUT');
  });

  it('stays as it is when other things change, and REST neither shows nor asks for it', async () => {
    const { ana } = await worldOf('ana');
    await ana.query(setTo, { language: 'PT_BR' });
    await ana.query('mutation { updateProfile(input: { name: "Ana" }) { user { id } } }');
    await ana.rest.put('/api/user/profile', { language: 'DE' });
    expect(await ana.query('{ me { language name } }')).toEqual({ me: { language: 'PT_BR', name: 'Ana' } });
    expect((await ana.rest.get('/api/user/profile')).body).not.toHaveProperty('language');
  });
});

describe('A challenge', () => {
  it('that is built in has words in each language, and what an operator wrote stays as it is written', async () => {
    const { newUser } = await world({ database: await ownDatabase() }); // an operator adds some to the shared one
    const ana = await newUser();
    const { challengeTemplates } = await ana.query('{ challengeTemplates { title description } }');
    const built: string[] = challengeTemplates.flatMap(Object.values);
    expect(built).toHaveLength(14);
    for (const { challenge } of [de, es, fr, ptBr]) {
      const said = built.map(challenge.ofTemplate);
      expect(new Set([...said, ...built]).size).toBe(28);
      expect(['Stretch', 'constructor'].map(challenge.ofTemplate)).toEqual(['Stretch', 'constructor']);
    }
  });
});
