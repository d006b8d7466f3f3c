import { describe, expect, it } from 'vitest';
import { worldOf } from '../support/world.js';

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
  });

  it('stays as it is when other things change, and REST neither shows nor asks for it', async () => {
    const { ana } = await worldOf('ana');
    await ana.query(setTo, { language: 'PT_BR' });
    await ana.query('mutation { updateProfile(input: { name: "Ana" }) { user { id } } }');
    await ana.rest.put('/api/user/profile', { language: 'DE' });
    expect(await ana.query('{ me { language name } }')).toEqual({ me: { language: 'PT_BR', name: 'Ana' } });
    expect((await ana.rest.get('/api/user/profile')).body).not.toHaveProperty('language');
  });

  it('is one of five: another is refused', async () => {
    const { ana } = await worldOf('ana');
    await expect(ana.query(setTo, { language: 'IT' })).rejects.toThrow('BAD_USER_INPUT');
  });
});
