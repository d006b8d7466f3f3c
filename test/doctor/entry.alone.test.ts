import { describe, expect, it } from 'vitest';
import { mailFinding } from '../../src/features/mail/checks.js';
import { readConfig } from '../../src/features/settings.js';
import { differenceOf, providerFinding } from '../../src/features/sign-in/checks.js';
import { mailCatcher } from '../support/mail.js';
import { settingsOf, testProvider } from '../support/provider.js';

const mail = (url: string) =>
  mailFinding(readConfig({ SMTP_URL: url, MAIL_FROM: 'a@example.com', PUBLIC_URL: 'https://a.example' }));

const provider = (OIDC_ISSUER: string) =>
  providerFinding(readConfig({ OIDC_ISSUER, OIDC_CLIENT_ID: 'steady', PUBLIC_URL: 'https://a.example' }));

const redirectUris = ['https://a.example/auth/oidc/callback'];

describe('The doctor', () => {
  it('tries the mail server, sends nothing, and tells no password', async () => {
    const catcher = await mailCatcher();
    expect(await mail(`smtp://127.0.0.1:${catcher.port}`)).toMatchObject([
      { state: 'ok', message: `127.0.0.1:${catcher.port} takes mails` },
    ]);
    const [refused] = await mail(`smtp://ana:secret1@127.0.0.1:${catcher.port}`);
    expect(refused).toMatchObject({
      state: 'wrong',
      message: expect.stringContaining('cannot be used (E'),
      fix: expect.stringMatching(/^Correct the user name and the password/),
    });
    expect(JSON.stringify(refused)).not.toContain('secret1');
    expect(catcher.caught).toEqual([]);
    await catcher.stop();
    const message = `127.0.0.1:${catcher.port} cannot be used (ESOCKET)`;
    expect(await mail(`smtp://127.0.0.1:${catcher.port}`)).toMatchObject([
      { state: 'wrong', message, fix: expect.stringMatching(/^Correct the host and the port/) },
    ]);
    const selfSigned = await mailCatcher({ disabledCommands: ['AUTH'] });
    expect(await mail(`smtp://127.0.0.1:${selfSigned.port}`)).toMatchObject([
      { state: 'wrong', fix: expect.stringContaining('?tls=insecure') },
    ]);
  });

  it('tries discovery, and says which letter of the issuer differs', async () => {
    const there = await testProvider({ redirectUris });
    expect(await provider(there.issuer)).toMatchObject([
      {
        state: 'wrong',
        message: expect.stringMatching(/does not know the client, or not with that secret$/),
      },
    ]);
    const [slash] = await provider(`${there.issuer}/`);
    const at = there.issuer.length + 1;
    expect(slash).toMatchObject({
      state: 'warning',
      message: `OIDC_ISSUER is ${there.issuer}/, but the provider calls itself ${there.issuer}: letter ${at} is "/" and should be nothing; a slash at the end keeps nobody out`,
    });
    const named = there.issuer.replace('127.0.0.1', 'localhost');
    expect(await provider(named)).toMatchObject([
      { state: 'wrong', message: expect.stringMatching(/ letter 8 is "l" and should be "1"$/) },
    ]);
    expect(differenceOf('https://A.example', 'https://a.example')).toContain(
      'letter 9 is "A" and should be "a"',
    );
    await there.stop();
    expect(await provider(there.issuer)).toMatchObject([
      { state: 'wrong', message: expect.stringMatching(/cannot be read \(\w+\)$/) },
    ]);
  });

  it.each(['client_secret_basic', 'client_secret_post'] as const)(
    'asks whether the provider knows the client by its secret, also as %s',
    async (authMethod) => {
      const there = await testProvider({ redirectUris, authMethod });
      const given = { ...settingsOf(there), PUBLIC_URL: 'https://a.example' };
      expect(await providerFinding(readConfig(given))).toMatchObject([
        { state: 'ok', message: expect.stringMatching(/it knows the client$/) },
      ]);
      expect(await providerFinding(readConfig({ ...given, OIDC_CLIENT_SECRET: 'another' }))).toMatchObject([
        { state: 'wrong', fix: expect.stringContaining('OIDC_CLIENT_SECRET') },
      ]);
    },
  );

  it('says nothing of what is not set up', async () => {
    expect([...(await mailFinding(readConfig({}))), ...(await providerFinding(readConfig({})))]).toEqual([]);
  });
});
